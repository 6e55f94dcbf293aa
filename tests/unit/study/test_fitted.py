"""Rows about fits and what summaries read off them, on tables made by hand."""

import dataclasses
from collections import Counter
from math import erfc, log, nan, sqrt

import numpy as np
import pandas as pd
import pytest

from latentdag import Counts, Family, Parameters, Structure, Table
from latentdag.analysis import fit_tables
from latentdag.analysis.fit import Fit
from latentdag.data.counts import MISSING
from latentdag.study.own_data import fitted
from latentdag.study.schema.columns import TABLES

FAMILY = Family((2,), (2, 2))
COUNTS = Counts.of_table(np.array([[40, 10], [10, 40]]))
TABLE = Table(("first", "second"), (("no", "yes"), ("low", "high")), COUNTS)
ROWS = np.array([[0.9, 0.1], [0.2, 0.8]])


def one_cause(counts):
    """A MAP fit of two variables with one cause, whose states are told by both alike."""
    parameters = Parameters((np.array([0.75, 0.25]),), (ROWS, ROWS))
    return Fit(Structure.from_label("1-1", FAMILY), parameters, "map", counts)


def memberships(counts, table):
    return list(fitted.membership_rows("1-1", one_cause(counts), table))


def test_rows_of_a_fit_without_draws():
    """Its numbers are those of the tables of the command."""
    fit = dataclasses.replace(one_cause(COUNTS), p_value=0.2, replicates=99)
    row = fitted.fit_row("1-1 (2)", ["vb", "ais"], fit, TABLE)
    (expected,) = fit_tables.statistics(fit, TABLE)
    assert set(row) == set(TABLES["fit"].columns)
    own = {"structure": "1-1 (2)", "best_by": "vb ais", "p_value": 0.2, "replicates": 99}
    assert own.items() <= row.items()
    assert {name: row[name] for name in ("G2", "X2", "BIC")}.items() <= expected.items()
    rows = list(fitted.parameter_rows("a", fit, TABLE))
    assert all(set(row) == set(TABLES["parameters"].columns) for row in rows)
    empty = {"structure": "a"} | dict.fromkeys(("mean", "low", "high", "effective_draws"))
    assert rows == [empty | own for own in fit_tables.parameters(fit, TABLE)]


def test_memberships_and_how_certain_they_are():
    found, patterns = memberships(COUNTS, TABLE), []
    for values, cases, like in (
        ("no, low", 40, (0.81, 0.04)), ("no, high", 10, (0.09, 0.16)),
        ("yes, low", 10, (0.09, 0.16)), ("yes, high", 40, (0.01, 0.64)),
    ):  # fmt: skip
        first = 0.75 * like[0] / (0.75 * like[0] + 0.25 * like[1])
        entropy = -first * log(first) - (1 - first) * log(1 - first)
        patterns.append((values, cases, first, entropy))
    pairs = zip(found[::2], found[1::2], strict=True)
    for i, (rows, own) in enumerate(zip(pairs, patterns, strict=True), start=1):
        values, cases, first, entropy = own
        for row, p, state in zip(rows, (first, 1 - first), ("s1 = 1", "s1 = 2"), strict=True):
            assert set(row) == {*TABLES["membership"].columns, *TABLE.names}
            assert (row["pattern"], row["values"], row["cases"]) == (i, values, cases)
            assert f"{row['first']}, {row['second']}" == values
            assert (row["states"], row["modal"]) == (state, p > 0.5)
            assert (row["probability"], row["entropy"]) == pytest.approx((p, entropy))
    told = fitted.certainty(pd.DataFrame(found))
    assert told["right"] == pytest.approx(sum(n * max(p, 1 - p) for _, n, p, _ in patterns) / 100)
    assert told["entropy"] == pytest.approx(sum(n * entropy for _, n, _, entropy in patterns) / 100)
    assert told["most"] == pytest.approx(log(2))


def test_the_most_probable_of_three_states_is_modal_below_a_half():
    counts = Counts.of_table(np.ones((2, 2), dtype=int))
    parameters = Parameters((np.array([0.4, 0.35, 0.25]),), (np.full((3, 2), 0.5),) * 2)
    fit = Fit(Structure.from_label("1-1", Family((3,), (2, 2))), parameters, "map", counts)
    rows = list(fitted.membership_rows("1-1", fit, TABLE))
    assert [row["modal"] for row in rows] == [True, False, False] * 4


def test_the_largest_residuals_are_first_and_structures_as_in_the_table():
    values = [("b", 0.1), ("b", 0.3), ("a", 0.9), ("b", 0.2), ("a", -1.0)]
    found = fitted.largest_residuals(pd.DataFrame(values, columns=["structure", "residual"]), 2)
    assert [*found] == ["b", "a"]
    assert [own["residual"].tolist() for own in found.values()] == [[0.3, 0.2], [0.9, -1.0]]


def test_a_missing_value_has_a_name():
    """Whatever a variable is called, and an empty text that is a level is none that is missing."""
    counts = Counts(np.array([[MISSING, 1], [0, 0]]), np.array([3, 2]))
    table = Table(("cases", "entropy"), (("", "yes"), ("low", "high")), counts)
    rows = memberships(counts, table)
    assert {r["values"] for r in rows} == {"(missing), high", ", low"}
    own = {(r["cases (variable)"], r["entropy (variable)"]) for r in rows}
    assert own == {("", "high"), ("", "low")}
    of_command = fit_tables.memberships(one_cause(counts), table)
    told = [(r["cases (variable)"], r["entropy (variable)"], r["cases"]) for r in of_command]
    assert sorted(told) == [("", "high", 3), ("", "low", 2)]


def scores_table(values):
    rows = [(0, 9, s, m, v, nan, 3) for m, own in values.items() for s, v in own.items()]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    return pd.DataFrame(rows, columns=columns)


def test_structures_that_a_score_puts_first():
    """Likelihoods count for nothing, nor do structures without a score; 1 nat is less than
    ln(0.6875 / 0.0625). The score of the best is without its prior.
    """
    scores = scores_table(
        {
            "map": {"a": 9.0, "b": 1.0, "c": 2.0},
            "bic": {"a": -3.0, "b": -1.0, "c": -2.0},
            "vb": {"a": nan, "b": -5.0, "c": -4.0},
            "ais": {"a": -3.0, "b": -1.0, "c": -2.0},
        }
    )
    posterior = pd.DataFrame({"structure": list("abc"), "prior": [0.25, 0.0625, 0.6875]})
    equal = fitted.log_priors(posterior, "structures")
    assert fitted.chosen(scores, equal) == {"b": ["bic", "ais"], "c": ["vb"]}
    unequal = fitted.log_priors(posterior, "families")
    assert fitted.chosen(scores, unequal) == {"c": ["bic", "vb", "ais"]}
    found = fitted.best_by_score(scores, unequal)
    assert found["score"].tolist() == [-2.0, -4.0, -2.0]
    assert found.loc["bic", "lead"] == pytest.approx(log(11) - 1)


def test_the_posterior_mean_is_shown_and_the_estimate_where_there_is_none():
    rows = [
        (structure, kind, "s1", "", value, p, nan, nan, nan, mean)
        for structure, kind, value, p, mean in (
            ("a", "ml", "1", 0.9, 0.9), ("b", "map", "1", 0.6, 0.5),
            ("a", "map", "1", 0.75, 0.7), ("a", "map", "2", 0.25, nan),
        )
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=TABLES["parameters"].columns)
    assert fitted.map_estimate(table, "a")["shown"].tolist() == [0.7, 0.25]


def test_cases_are_counted_by_a_column_and_their_most_probable_states():
    """A case without a value there, or without any in the model, does not count."""
    rng = np.random.default_rng(4)
    cases = rng.integers(-1, 2, size=(60, 3))  # the last is the column
    assert MISSING == -1
    fit = one_cause(Counts.of(cases[(cases[:, :2] != MISSING).any(axis=1), :2]))
    rows = list(fitted.crossed_rows("1-1", fit, Counts.of(cases), "party", ["left", "right"]))
    expected = Counter()
    for *values, code in cases.tolist():
        if code != MISSING and set(values) != {MISSING}:
            first, second = (
                p * np.prod([row[v] for v in values if v != MISSING])
                for p, row in zip((0.75, 0.25), ROWS, strict=True)
            )
            expected[("left", "right")[code], f"s1 = {1 + (second > first)}"] += 1
    assert len(expected) == 4 and sum(expected.values()) == 41
    of_states = Counter()
    for (_, states), number in expected.items():
        of_states[states] += number
    for row in rows:
        number = expected.pop((row["value"], row["states"]))
        assert (row["structure"], row["variable"], row["cases"]) == ("1-1", "party", number)
        assert row["share"] == pytest.approx(number / of_states[row["states"]])
    assert not expected


def test_a_state_of_some_cases_stays_in_the_table_whatever_values_they_lack():
    rows = [(s, v, n) for s, own in (("b", (0, 3)), ("a", (2, 5)), ("c", (0, 0)))
            for v, n in zip(("right", "left"), own, strict=True)]  # fmt: skip
    found = fitted.cross_table(pd.DataFrame(rows, columns=["states", "value", "cases"]))
    assert found.to_dict("split")["data"] == [[0, 3], [2, 5]]
    assert (list(found.index), list(found.columns)) == (["b", "a"], ["right", "left"])


def test_association_of_states_and_values():
    """X2 = N (ad - bc)^2 / (the four totals); a value that no case has does not count."""
    found = fitted.association(pd.DataFrame([[30, 0, 10], [5, 0, 15]]))
    x2 = 60 * (30 * 15 - 10 * 5) ** 2 / (40 * 20 * 35 * 25)
    expected = {"x2": x2, "degrees_of_freedom": 1, "p_value": erfc(sqrt(x2 / 2))}
    assert found == pytest.approx(expected | {"v": sqrt(x2 / 60)})
    certain = fitted.association(pd.DataFrame(np.diag([3, 4, 5])))
    assert (certain["degrees_of_freedom"], certain["v"]) == (4, pytest.approx(1))
    one = fitted.association(pd.DataFrame([[3, 0], [4, 0]]))
    assert np.isnan([one[k] for k in ("x2", "p_value", "v")]).all()
