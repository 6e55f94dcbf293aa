"""What sections of the summaries of own data and of many draws say, against plain loops."""

from math import log, nan

import made_up_population
import numpy as np
import pandas as pd
import pytest

from latentdag.study.many_draws.calibration import (
    better_than_the_reference,
    deviations,
    tests_of_the_reference,
)
from latentdag.study.many_draws.population import design_counts
from latentdag.study.many_draws.prediction import wrong_against_true
from latentdag.study.one_draw.posterior import class_dimensions
from latentdag.study.own_data import fitted, marginals, published, searched
from latentdag.study.schema.candidates import variable_names
from latentdag.study.schema.columns import TABLES

tests_of_the_reference.__test__ = False
CALIBRATION = made_up_population.tables(6, (20, 480, 1120)).calibration
OF_ITSELF = ("accuracy", "log score", "Brier score")
BELOW = ("below the reference in log score", "below the reference in Brier score")


def calibrated():
    """With p and z of its own in every row, and a reference that has no z at one size."""
    table = CALIBRATION.sort_values(["n", "by", "method", "statistic"]).reset_index(drop=True)
    rng = np.random.default_rng(4)
    table = table.assign(z=rng.normal(size=len(table)), p_value=rng.uniform(0, 0.2, len(table)))
    lost = (table["n"] == 480) & (table["statistic"] == "accuracy")
    table.loc[lost, ["z", "p_value"]] = nan
    return table.sample(frac=1, random_state=7)


def test_the_reference_about_itself():
    table = calibrated()
    rows = [r for r in table.to_dict("records") if r["method"] == "reference" and r["z"] == r["z"]]
    found = tests_of_the_reference(table)
    assert found["number"] == len(rows) and found["expected"] == pytest.approx(0.05 * len(rows))
    assert found["below"] == sum(r["p_value"] < 0.05 for r in rows) > 0
    smallest = min(rows, key=lambda r: r["p_value"])
    assert found["smallest"].to_dict() == smallest
    assert found["together"] == pytest.approx(min(1, len(rows) * smallest["p_value"]))
    assert found["together"] < 1
    assert tests_of_the_reference(table.assign(p_value=0.5))["together"] == 1
    assert tests_of_the_reference(table.assign(z=nan)) == {}
    assert tests_of_the_reference(table[table["method"] != "reference"]) == {}


def test_scores_that_are_better_than_the_reference():
    table = calibrated()
    rows = [r for r in table.to_dict("records") if r["statistic"] in BELOW and r["z"] == r["z"]]
    found = better_than_the_reference(table)
    better = [r for r in rows if r["z"] < 0]
    assert found[:2] == (len(rows), len(better)) and len(better) < len(rows)
    sure = [r for name in BELOW for r in better if r["statistic"] == name and r["p_value"] < 0.05]
    assert found[2].to_dict("records") == sure and 0 < len(sure) < len(better)


def test_deviations_of_all_scores_but_the_reference():
    table = calibrated()
    expected = {
        (r["by"], r["method"], r["n"], r["statistic"].replace(" ", "_")): r["z"]
        for r in table.to_dict("records")
        if r["statistic"] in OF_ITSELF and r["method"] != "reference"
    }
    found = {
        (r["by"], r["method"], r["n"], name): r[name]
        for r in deviations(table).to_dict("records")
        for name in ("accuracy", "log_score", "Brier_score")
    }
    assert set(found) == set(expected)
    for key, z in expected.items():
        assert found[key] == pytest.approx(z, nan_ok=True)


def test_the_design_counts_truths_and_priors():
    rows = [("b", 1.0, 2.0), ("a", 0.5, 1.0), ("b", 1.0, 1.0), ("b", 0.5, 1.0), ("a", 1.0, 2.0)]
    truths, priors = design_counts(
        pd.DataFrame(rows, columns=["true_structure", "alpha", "alpha_hidden"])
    )
    assert list(truths.items()) == [("b", 3), ("a", 2)]
    assert list(priors.items()) == [((1.0, 2.0), 2), ((0.5, 1.0), 2), ((1.0, 1.0), 1)]


@pytest.mark.parametrize(("gaps", "sure"), [((1, 2, 3), 1), ((-1, -2, -3), -1), ((-1, 2, 3), 0)])
def test_a_wrong_structure_is_surely_worse_beyond_two_standard_errors(gaps, sure):
    """Of 1, 2, 3 the mean is 2 and its standard error 0.58."""
    rows = [
        row
        for draw, gap in enumerate(gaps)
        for row in ((draw, 20, "vb", "a", "t", 5.0 + gap), (draw, 20, "ais", "t", "t", 5.0))
    ]
    columns = ["draw", "n", "method", "top", "truth", "lost_by_top"]
    found = wrong_against_true(pd.DataFrame(rows, columns=columns).assign(by="structure"))
    assert found.loc[20, "sure"] == sure


def test_the_score_of_the_best_is_without_its_prior():
    rows = [(0, 9, s, m, v, nan, 1) for m in ("vb", "bic") for s, v in (("a", -5.0), ("b", -6.0))]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    log_prior = pd.Series({"a": log(0.1), "b": log(0.9)})
    found = fitted.best_by_score(pd.DataFrame(rows, columns=columns), log_prior)
    assert found["best"].tolist() == ["b", "b"] and found["score"].tolist() == [-6.0, -6.0]
    assert found["lead"].tolist() == pytest.approx([-1 + log(9)] * 2)


PARAMETERS = pd.DataFrame(
    [
        (structure, kind, variable, given, value, p / k, 0.1, 0.9, 500.0, p / k + 0.01)
        for k, (structure, kind) in enumerate(
            (("a", "ml"), ("b", "map"), ("a", "map"), ("b", "ml")), start=1
        )
        for variable, given, value, p in (
            ("s1", "", "1", 0.75), ("s1", "", "2", 0.25), ("s2", "", "1", 0.5),
            ("s1", "s1 = 1", "1", 0.125),  # a variable of the table that is called as a cause is
        )
    ],
    columns=TABLES["parameters"].columns,
)  # fmt: skip
MEMBERSHIP = pd.DataFrame(
    [
        ("a", pattern, f"v{pattern}", cases, states, p, modal, 0.5)
        for pattern, cases in ((1, 4), (2, 9), (3, 4), (4, 7))
        for states, p, modal in (("s1 = 1", 0.25, False), ("s1 = 2", 0.75, True))
    ],
    columns=TABLES["membership"].columns,
)


def test_the_map_estimate_of_a_structure():
    found = fitted.map_estimate(PARAMETERS, "a")
    assert set(found["structure"]) == {"a"} and set(found["estimate"]) == {"map"}
    expected = [p / 3 for p in (0.75, 0.25, 0.5, 0.125)]
    assert found["probability"].tolist() == pytest.approx(expected)


def test_sizes_of_classes_are_those_of_the_causes_that_cases_have():
    found = fitted.class_sizes(PARAMETERS, MEMBERSHIP)
    assert found["state"].tolist() == ["s1 = 1", "s1 = 2"]
    assert found["probability"].tolist() == pytest.approx([0.25, 0.25 / 3])


def test_the_most_frequent_patterns():
    found = fitted.most_frequent(MEMBERSHIP, 3)
    assert found["pattern"].tolist() == [2, 4, 1] and set(found["probability"]) == {0.75}


def test_probability_that_is_listed_and_not():
    mass = pd.Series({"a": 0.5, "b": 0.25, "c": nan, "d": 0.125})
    assert marginals.probability_of(mass, ["d", "a", "x"]) == 0.625
    assert marginals.probability_of(mass, []) == 0
    assert marginals.not_listed(mass, ["a"]) == (3, 0.375)
    assert marginals.not_listed(mass, list("abcd")) == (0, 0.0)


def test_statements_by_score_and_alpha():
    values = {("vb_lr", 2.0): 0.1, ("bic", 0.5): 0.2, ("vb_lr", 0.5): 0.3, ("vb_eb", 0.7): 0.4}
    rows = []
    for (method, alpha), p in values.items():
        rows.append((alpha, 1.0, method, "2", "", "", p))
        changes = ((0, "b"), (3, "a"), (2, "c"))
        rows += [(alpha, 1.0, method, "", "x", y, 5 * (k == 0) + p * k) for k, y in changes]
    rows.append((2.0, 1.0, "vb_lr", "3", "", "", 0.9))  # by one score alone
    found = marginals.by_statement(pd.DataFrame(rows, columns=TABLES["alpha"].columns))
    assert list(found) == [("bic", 0.5), ("vb_lr", 0.5), ("vb_lr", 2.0), ("vb_eb", 0.7)]
    pairs = [("", "x", y) for y in "bac"]
    for key, own in found.items():
        p = values[key]
        assert list(own.index) == [("2", "", ""), *pairs, ("3", "", "")]
        other = 0.9 if key == ("vb_lr", 2.0) else nan
        assert own.tolist() == pytest.approx([p, 5, 3 * p, 2 * p, other], nan_ok=True)
    assert marginals.least_changed_pairs(found, 2) == (3, [("", "x", "b")])
    assert marginals.least_changed_pairs(found, 1) == (3, [("", "x", "c"), ("", "x", "b")])
    assert marginals.least_changed_pairs(found, 3) == (3, [])


def test_published_models_in_the_order_of_the_table():
    rows = [("z", 3, "BIC", 1.5, 1.54), ("a", 2, "BIC", 1.5, 1.56), ("z", 3, "AIC", 2.0, 2.4)]
    found = published.by_model(pd.DataFrame(rows, columns=TABLES["published"].columns))
    assert list(found) == [("z", 3), ("a", 2)]
    assert found["z", 3]["agrees"].tolist() == [True, True]
    assert found["a", 2]["agrees"].tolist() == [False]


def test_totals_of_the_searches():
    rows = [("2", "vb", 3, 100, 7, 0.25), ("2,2", "vb", 5, 40, 2, 0.5)]
    found = searched.totals(pd.DataFrame(rows, columns=TABLES["search"].columns))
    assert found == (140, 9, 0.75)


def test_dimensions_of_classes_and_names_of_variables():
    rows = [("a", "k", 5), ("b", "m", 7), ("c", "k", 5)]
    table = pd.DataFrame(rows, columns=["structure", "class", "dimension"])
    assert class_dimensions(table).to_dict() == {"k": 5, "m": 7}
    rows = [(2, "x"), (10, "a"), (1, "z"), (2, "x")]
    assert variable_names(pd.DataFrame(rows, columns=["variable", "name"])) == ["z", "x", "a"]
