"""The findings of Chickering & Heckerman on tables made by hand."""

from math import hypot, nan, sqrt
from statistics import stdev

import pandas as pd
import pytest
from made_up import assert_rows, named

from latentdag.study.paper import chickering_heckerman as findings
from latentdag.study.paper.claims import AGREES, DIFFERS, NOT_TESTABLE
from latentdag.study.schema.columns import TABLES


def table(of, rows):
    return pd.DataFrame(rows, columns=TABLES[of].columns)


def by_structure(method, *values, labels="abc"):
    return [(s, method, v) for s, v in zip(labels, values, strict=True)]


def test_total_variation_is_half_the_sum_of_differences():
    """A structure without a score has no weight."""
    p = [*by_structure("reference", 0.5, 0.3, 0.2), *by_structure("vb", 0.2, 0.6, 0.2)]
    p += by_structure("cs", 0.9, 0.1, nan)
    rows = [(0, 80, *row) for row in p] + [(0, 10, "a", m, 1.0) for m in ("reference", "cs", "vb")]
    own = table("posterior", rows)
    assert_rows(findings.total_variation(own), {80: {"cs": 0.4, "vb": 0.3}})
    for none in (own[own["n"] == 10], own[own["method"] != "reference"], own.iloc[:0]):
        assert findings.total_variation(none).empty


def test_what_a_choice_loses():
    evidence = {10: (-5.0, -6.0, -9.0), 80: (-5.0, -4.0, -9.0), 480: (-5.0, nan, nan)}
    scores = pd.DataFrame(
        [
            (n, s, "reference", v, e)
            for n, values in evidence.items()
            for s, v, e in zip("abc", values, (0.3, 0.4, 0.1), strict=True)
        ],
        columns=["n", "structure", "method", "score", "standard_error"],
    )
    picks = {"reference": "aba", "bic": "ccc", "vb": "baa", "cs": ["a", "", "a"]}
    ranks = pd.DataFrame(
        [(n, m, s) for m, own in picks.items() for n, s in zip(evidence, own, strict=True)],
        columns=["n", "method", "best_structure"],
    )
    found = findings.choices(ranks, scores)
    expected = {
        (10, "bic"): {"regret": 4.0, "error": hypot(0.3, 0.1)},
        (10, "cs"): {"regret": 0.0, "error": nan},
        (10, "vb"): {"regret": 1.0, "error": 0.5},
        (80, "bic"): {"regret": 5.0, "error": hypot(0.4, 0.1)},
        (80, "vb"): {"regret": 1.0, "error": 0.5},
    }
    assert_rows(found.set_index(["n", "method"]), expected)
    names = ("sizes", "best", "within", "mean", "largest", "error", "at")
    over = {
        "bic": (2, 0, 0, 4.5, 5.0, hypot(0.4, 0.1), 80),
        "cs": (1, 1, 1, 0.0, 0.0, nan, 10),
        "vb": (2, 0, 2, 1.0, 1.0, 0.5, 10),
    }
    over = named(names, over)
    assert_rows(findings.chosen(found), over)
    assert findings.chosen(findings.choices(ranks[ranks["method"] != "reference"], scores)).empty


def test_changes_from_the_lowest_alpha_to_the_highest():
    errors = {0.5: (0.3, 0.4, 0.0), 2.0: (9.0, 9.0, 9.0), 10.0: (0.4, 0.3, 0.1)}
    values = {
        ("reference", 0.5): (-10.0, -12.0, -15.0), ("reference", 10.0): (-11.0, -12.5, -12.0),
        ("reference", 2.0): (0.0, 0.0, 0.0), ("vb", 2.0): (0.0, 0.0, 0.0),
        ("vb", 0.5): (1.0, 2.0, 3.0), ("vb", 10.0): (3.0, 5.0, nan),
    }  # fmt: skip
    rows = [
        (0, 80, alpha, s, m, v, e if m == "reference" else nan)
        for (m, alpha), own in values.items()
        for s, v, e in zip("abc", own, errors[alpha], strict=True)
    ]
    prior = table("prior", rows)
    reference = {"structures": 3, "mean": 0.5, "deviation": stdev((-1, -0.5, 3)), "apart": nan}
    reference |= {"error": sqrt((0.25 + 0.25 + 0.01) / 3), "correlation": 0.5}
    vb = {"structures": 2, "mean": 2.5, "deviation": stdev((2, 3)), "error": nan}
    vb |= {"correlation": 1.0, "apart": stdev((3, 3.5))}
    assert_rows(findings.changes(prior), {"vb": vb, "reference": reference})
    for few in (prior[prior["alpha"] == 2], prior.iloc[:0], prior[prior["structure"] == "a"]):
        assert findings.changes(few).empty
    without = findings.changes(prior[prior["method"] != "reference"])
    assert without["apart"].isna().all() and len(without) == 1


def test_errors_in_both_halves_by_nearness_to_the_boundary():
    """The median share is 0.2; the last structure lacks one of the errors."""
    shares = [("map", s, v) for s, v in zip("abcd", (0.1, 0.2, 0.3, 0.9), strict=True)]
    fits = [*shares, *(("vb", s, 1 - v) for _, s, v in shares)]
    fits = pd.DataFrame(
        [(0, 80, s, m, v) for m, s, v in fits],
        columns=["draw", "n", "structure", "method", "near_boundary"],
    )
    errors = by_structure("cs", -1.0, 4.0, 1.0, 0.0, labels="abcd")
    errors += [*by_structure("laplace", 2.0, -3.0, 5.0), *by_structure("vb", 9.0, 9.0, 9.0)]
    errors = table("errors", [(0, 80, *row, 0.1) for row in errors])
    expected = {
        "near": {"pairs": 1, "share": 0.3, "cs": 1.0, "laplace": 5.0, "nearer": 1},
        "other": {"pairs": 2, "share": 0.15, "cs": 2.5, "laplace": 2.5, "nearer": 1},
    }
    assert_rows(findings.near_boundary(errors, fits), expected)
    for share in (0.25, nan):
        assert findings.near_boundary(errors, fits.assign(near_boundary=share)).empty
    assert findings.near_boundary(errors[errors["method"] != "laplace"], fits).empty


def test_reading_needs_both():
    rows = [("cs", 80, 9.0, 0.5), ("bic", 80, 9.0, 0.1), ("cs", 10, 9.0, 0.25)]
    cost = table("cost", [*rows, ("laplace", 80, 8.0, 2.0)])
    assert findings.reading(cost).to_dict("index") == {80: {"cs": 0.5, "laplace": 2.0}}
    assert findings.reading(cost.iloc[:3]).empty


def test_accurate_at_almost_all_sizes():
    sizes = {"bic": 20, "cs": 20, "laplace": 10, "vb": 20}
    within = {"bic": 17, "cs": 18, "laplace": 9, "vb": 0}
    found = findings.accurate(pd.DataFrame({"sizes": sizes, "within": within}))
    assert found.to_dict() == {"bic": False, "cs": True, "laplace": True}
    distances = pd.DataFrame({"bic": [0.1, 0.11, nan], "laplace": [0.0, 0.1, 0.05]})
    counts = {"bic": {"sizes": 2, "within": 1}, "laplace": {"sizes": 3, "within": 3}}
    assert findings.within(distances).to_dict("index") == counts
    assert findings.accurate(pd.DataFrame()).empty


@pytest.mark.parametrize(
    ("holds", "none", "all_but_bic"),
    [
        ({"bic": False, "cs": True, "laplace": True}, DIFFERS, AGREES),
        ({"bic": False, "cs": True, "laplace": False}, DIFFERS, DIFFERS),
        ({"bic": True, "cs": True, "laplace": True}, DIFFERS, DIFFERS),
        ({"bic": False, "cs": False, "laplace": False}, AGREES, DIFFERS),
        ({"bic": False}, AGREES, NOT_TESTABLE),
        ({"cs": True}, DIFFERS, NOT_TESTABLE),
        ({}, NOT_TESTABLE, NOT_TESTABLE),
    ],
)
def test_verdicts(holds, none, all_but_bic):
    holds = pd.Series(holds, dtype=bool)
    assert findings.of_none(holds) == none
    assert findings.of_all_but_bic(holds) == all_but_bic
