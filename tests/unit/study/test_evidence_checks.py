"""The evidence held against exact values, targets and bounds, by hand."""

from math import inf, nan, sqrt
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows

from latentdag.study.one_draw import evidence_checks

COLUMNS = ["draw", "n", "structure", "method", "score", "standard_error", "restarts"]
SCORES = pd.DataFrame(
    [
        *((0, 10, s, "exact", v, nan, nan) for s, v in zip("abc", (-10, -12, -15), strict=True)),
        (0, 10, "a", "reference", -9.6, 0.2, 8), (0, 10, "b", "reference", -12.3, 0.1, 16),
        (0, 10, "c", "reference", -15.5, 0.0, 16),  # it says that it is exact, and is not
        (0, 10, "a", "ais", -11.0, 0.25, 8), (0, 10, "b", "ais", -12.4, 0.4, 8),
        (0, 10, "c", "ais", -15.0, 0.5, 8), (0, 10, "d", "ais", -99.0, 0.5, 8),
        (0, 10, "a", "vb", -11.0, nan, 8), (0, 10, "b", "vb", -11.5, nan, 8),
        (0, 10, "c", "vb", -15.0 + 9e-6, nan, 8),  # rounding is no crossing
        (0, 10, "a", "cs", -11.5, nan, 8), (0, 10, "b", "cs", -11.0, nan, 8),
        (0, 80, "a", "reference", -90.0, 0.9, 8), (0, 80, "a", "vb", -95.0, nan, 8),
    ],
    columns=COLUMNS,
)  # fmt: skip


@pytest.mark.parametrize(
    ("gap", "error", "z"),
    [
        (0.1, 0.3, 0.1 / 0.3),
        (0.0, 0.0, None),  # exact itself, and right
        (0.0, nan, None),
        (-1e-3, 0.0, -inf),  # and wrong
        (1e-3, nan, inf),
        (1e-6, 0.0, None),  # rounding
        (1e-5, 5e-6, None),  # an error too small to divide by still counts
        (1e-5, 1e-6, inf),
    ],
)
def test_z_of_a_reference_that_is_exact_itself(gap, error, z):
    rows = [(1, 20, "a", "exact", -8.0, nan), (1, 20, "a", "reference", -8.0 + gap, error)]
    rows += [(1, 80, "a", "reference", 0.0, 0.1), (1, 20, "b", "exact", 0.0, nan)]
    found = evidence_checks.z_scores(pd.DataFrame(rows, columns=COLUMNS[:-1])).to_dict()
    assert found == ({} if z is None else {(1, 20, "a"): pytest.approx(z)})


def test_the_reference_against_exact_in_short():
    found = evidence_checks.exact_ratios(SCORES)
    assert found.pop("wrong") == [("c", 10)] and found.pop("sizes") == [10]
    expected = {"number": 2, "mean": -0.5, "deviation": stdev((2, -3)), "largest": -3.0}
    expected |= {"nats": -0.3, "error": 0.1, "usual_error": 0.15}
    expected |= evidence_checks.largest_by_chance(pd.Series([8.0, 16.0]), 3.0)
    assert found.pop("structure") == "b" and found == pytest.approx(expected)
    none = evidence_checks.exact_ratios(SCORES[SCORES["method"] != "exact"])
    assert none == {"wrong": [], "number": 0, "sizes": []}


def test_the_largest_of_many_ratios_by_chance():
    """Of Student's t, by simulation: 40 ratios from 5 runs and 60 from 9."""
    runs = pd.Series([5.0] * 40 + [9.0] * 60)
    found = evidence_checks.largest_by_chance(runs, 7.0)
    assert (found["fewest"], found["most"]) == (5, 9)
    rng = np.random.default_rng(4)
    draws = [abs(rng.standard_t(df, (20_000, k))) for df, k in ((4, 40), (8, 60))]
    largest = np.concatenate(draws, axis=1).max(axis=1)
    assert found["median"] == pytest.approx(np.median(largest), rel=0.02)
    assert found["high"] == pytest.approx(np.quantile(largest, 0.95), rel=0.06)
    assert found["probability"] == pytest.approx((largest >= 7.0).mean(), abs=0.01)
    assert evidence_checks.largest_by_chance(runs, 0.0)["probability"] == 1
    assert evidence_checks.largest_by_chance(pd.Series([16.0, 1.0]), 3.0) == {}
    assert evidence_checks.largest_by_chance(runs[:0], 3.0) == {}


def test_what_exact_evidence_says_at_each_size():
    """Of structures that have it: gaps, those in standard errors, and bounds that are kept."""
    gaps = {
        "cs": (-1.5, 1.0),
        "vb": (-1.0, 0.5, 9e-6),
        "ais": (-1.0, -0.4, 0.0),
        "reference": (0.4, -0.3, -0.5),
    }
    expected = {
        m: {"structures": len(own), "mean": mean(own), "deviation": stdev(own)}
        | {"lowest": min(own), "highest": max(own), "correlation": -1 if m == "cs" else 1}
        for m, own in gaps.items()
    }
    noise = {"number": 3, "mean": -5 / 3, "mean_square": sqrt(17 / 3), "largest": 4.0}
    noise |= {"beyond": 1, "expected": 3 * 0.0455}  # neither of scores without error nor reference
    bounds = [("cs", "vb", 1, 2), ("cs", "exact", 1, 2), ("vb", "exact", 2, 3)]
    found = evidence_checks.exact_checks(pd.concat([SCORES, SCORES.assign(n=SCORES["n"] + 1)]))
    assert list(found) == [10, 11]
    for by_structure, in_short, kept in found.values():
        assert_rows(by_structure, expected)
        assert_rows(in_short, {"ais": noise})
        assert kept == bounds
    for error in (nan, 0.0):
        by_structure, in_short, _ = evidence_checks.exact_checks(
            SCORES.assign(standard_error=error)
        )[10]
        assert in_short.empty and len(by_structure) == 4
    assert evidence_checks.having_exact(SCORES[SCORES["n"] == 80]).empty


@pytest.mark.parametrize(("truth", "largest"), [("t", [0, 5]), (None, [0])])
def test_gaps_between_bounds(truth, largest):
    rows = [
        ("t", 0.3, 0.4, 2.0),
        ("a", 0.3, 0.4, -1.6),
        ("b", 0.3, 0.4, -1.4),
        ("t", 0.1, nan, 1.0),
    ]
    rows += [("c", nan, 0.0, -1.1e-5), ("d", nan, nan, -9e-6)]
    columns = ["structure", "lower_error", "upper_error", "gap"]
    table = pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=1)
    found = evidence_checks.sandwich_gaps(table, truth)
    assert found.index.tolist() == [0, 1, 2, 3, 4, 5]  # the farthest from 0 first
    assert found["error"].tolist() == pytest.approx([0.5, 0.5, 0.5, 0.1, 0.0, 0.0])
    assert found.index[found["wide"]].tolist() == [0]
    assert found.index[found["crossed"]].tolist() == [1, 4]
    assert found.index[found["of_truth"]].tolist() == ([] if truth is None else [0, 3])
    assert found.index[found["largest"]].tolist() == largest
