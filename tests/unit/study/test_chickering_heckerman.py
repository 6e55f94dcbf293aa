"""The findings of Chickering & Heckerman on made-up tables, against plain loops."""

from math import hypot, log, nan, sqrt
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import IN_ORDER, SIZES, STRUCTURES, TRUE, assert_rows, by_structure, of_draw
from scipy.stats import spearmanr

from latentdag.study.one_draw.posterior import posterior
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper import chickering_heckerman as findings
from latentdag.study.paper.claims import AGREES, DIFFERS, NOT_TESTABLE
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()
RANKS = ranks(SCORES, TRUE, 2003, made_up.structures_table())
POSTERIOR = posterior(SCORES)
PRIOR = made_up.prior()


@pytest.mark.parametrize("draw", [0, 1])
def test_total_variation_is_the_largest_error_of_a_probability(draw):
    """That of the structures which are more probable than by the reference."""
    expected = {}
    for n in sorted(SIZES):
        at, expected[n] = {"draw": draw, "n": n}, {}
        known = by_structure(POSTERIOR, "probability", **at, method="reference")
        for m in made_up.registered(("bic", "cs", "bic_ml", "vb", "ais", "exact")):
            p = by_structure(POSTERIOR, "probability", **at, method=m)
            larger = sum(max(p.get(s, 0.0) - known[s], 0) for s in known)
            expected[n][m] = larger if p else nan
    own = of_draw(POSTERIOR, draw)
    found = findings.total_variation(own)
    assert list(found) == list(expected[10])
    assert_rows(found, expected)
    for none in (own[own["structure"] == TRUE], own[own["method"] != "reference"], own.iloc[:0]):
        assert findings.total_variation(none).empty


@pytest.mark.parametrize("draw", [0, 1])
def test_what_a_choice_loses(draw):
    scores, expected = of_draw(SCORES, draw), {}
    for n in sorted(SIZES):
        at = {"draw": draw, "n": n}
        known, errors = (
            by_structure(SCORES, c, **at, method="reference") for c in ("score", "standard_error")
        )
        best = max(known, key=known.get)
        ran = made_up.registered(r["method"] for r in made_up.rows(SCORES, **at))
        for m in ran[:-1]:  # the last is the reference
            own = by_structure(SCORES, **at, method=m)
            picked = max(own, key=own.get)
            error = nan if picked == best else hypot(errors[best], errors[picked])
            expected[n, m] = {"regret": known[best] - known[picked], "error": error}
    found = findings.choices(of_draw(RANKS, draw), scores)
    assert_rows(found.set_index(["n", "method"]), expected)
    of_methods = {}
    for m in made_up.registered(m for _, m in expected):
        rows = [(row["regret"], n, row["error"]) for (n, k), row in expected.items() if k == m]
        regrets = [regret for regret, *_ in rows]
        largest, at, error = next(row for row in rows if row[0] == max(regrets))
        within = sum(regret <= log(3) for regret in regrets)
        of_methods[m] = {"sizes": len(rows), "best": regrets.count(0), "within": within}
        of_methods[m] |= {"mean": mean(regrets), "largest": largest, "at": at, "error": error}
    assert_rows(findings.chosen(found), of_methods)
    assert findings.choices(RANKS, scores[scores["structure"] == TRUE]).empty
    none = findings.choices(RANKS, scores[scores["method"] != "reference"])
    assert findings.chosen(none).empty


@pytest.mark.parametrize("draw", [0, 1])
def test_changes_from_the_lowest_alpha_to_the_highest(draw):
    def change(method):
        """By structure that has both: the two scores and errors."""
        columns = ("score", "standard_error")
        of = [
            by_structure(PRIOR, c, draw=draw, method=method, alpha=a)
            for a in (0.5, 10.0)
            for c in columns
        ]
        low, low_error, high, high_error = of
        return {
            s: (low[s], high[s], low_error.get(s), high_error.get(s))
            for s in IN_ORDER
            if s in low and s in high
        }

    evidence = {s: high - low for s, (low, high, *_) in change("reference").items()}
    expected = {}
    for m in ("bic", "cs", "vb", "reference"):
        own = change(m)
        lows, highs, *errors = zip(*own.values(), strict=True)
        gaps = [b - a for a, b in zip(lows, highs, strict=True)]
        row = {"structures": len(own), "mean": mean(gaps), "deviation": stdev(gaps)}
        row |= {"correlation": spearmanr(lows, highs).statistic, "error": nan, "apart": nan}
        if m == "reference":
            row["error"] = sqrt(mean(a**2 + b**2 for a, b in zip(*errors, strict=True)))
        else:
            row["apart"] = stdev(gap - evidence[s] for s, gap in zip(own, gaps, strict=True))
        expected[m] = row
    own = of_draw(PRIOR, draw)
    assert_rows(findings.changes(own), expected)
    for few in (own[own["alpha"] == 1], own.iloc[:0], own[own["structure"] == TRUE]):
        assert findings.changes(few).empty
    without = findings.changes(own[own["method"] != "reference"])
    assert without["apart"].isna().all() and len(without) == 3


def test_errors_in_both_halves_by_nearness_to_the_boundary():
    rng = np.random.default_rng(5)
    errors, fits, pairs = [], [], []
    for n in (80, 10):
        for s, d in STRUCTURES.items():
            share = rng.integers(0, 4) / 4  # so that some are equal
            fits += [(0, n, s, "map", share), (0, n, s, "vb", 1 - share)]
            cs, laplace = 5 * rng.normal(size=2)
            errors += [(0, n, s, "cs", cs, 0.1), (0, n, s, "vb", 9.0, 0.1)]
            if (n, d) != (80, 19):
                errors.append((0, n, s, "laplace", laplace, 0.1))
                pairs.append((share, abs(cs), abs(laplace)))
    errors = pd.DataFrame(errors, columns=TABLES["errors"].columns)
    fits = pd.DataFrame(fits, columns=[*errors.columns[:4], "near_boundary"])
    middle, expected = median(share for share, *_ in pairs), {}
    for name, near in (("near", True), ("other", False)):
        half = [pair for pair in pairs if (pair[0] > middle) == near]
        means = map(mean, zip(*half, strict=True))
        expected[name] = dict(zip(("share", "cs", "laplace"), means, strict=True))
        expected[name] |= {"pairs": len(half), "nearer": sum(c < la for _, c, la in half)}
    assert_rows(findings.near_boundary(errors, fits), expected)
    for share in (0.25, nan):
        assert findings.near_boundary(errors, fits.assign(near_boundary=share)).empty
    assert findings.near_boundary(errors[errors["method"] != "laplace"], fits).empty


def test_reading_needs_both():
    rows = [("cs", 80, 9.0, 0.5), ("bic", 80, 9.0, 0.1), ("cs", 10, 9.0, 0.25)]
    cost = pd.DataFrame([*rows, ("laplace", 80, 8.0, 2.0)], columns=TABLES["cost"].columns)
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
