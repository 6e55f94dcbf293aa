"""The evidence held against exact values, targets and bounds, against plain loops."""

from math import hypot, inf, nan
from statistics import mean, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import IN_ORDER, TRUE, assert_rows
from scipy.stats import spearmanr

from latentdag.study.one_draw import evidence_checks

SCORES = made_up.scores()
AT_10 = SCORES[SCORES["n"] == 10].reset_index(drop=True)  # where there is exact evidence
KEYS = [(draw, 10, s) for draw in (0, 1) for s in IN_ORDER]


def values(method, column="score", table=AT_10):
    """By draw, n and structure."""
    rows = {(r["draw"], r["n"], r["structure"]): r for r in made_up.rows(table, method=method)}
    return {key: rows[key][column] for key in KEYS}


def plain_gaps(method, other="exact"):
    own, others = values(method), values(other)
    return [own[key] - others[key] for key in KEYS]


def plain_z(method):
    errors = values(method, "standard_error")
    return [gap / errors[key] for key, gap in zip(KEYS, plain_gaps(method), strict=True)]


def test_bounds_above_the_reference_are_counted():
    rows = [
        ("vb", -1.0, 0.1), ("vb", 0.29, 0.1), ("vb", 0.31, 0.1), ("vb", 5.0, 0.0),
        ("vb", 9e-6, 0.0), ("cs", 0.5, 0.2), ("ais", 9.0, 0.1), ("bic", 9.0, 0.1),
    ]  # fmt: skip
    found = pd.DataFrame(rows, columns=["method", "error_nats", "standard_error"])
    expected = {"cs": {"above": 0, "pairs": 1}, "vb": {"above": 2, "pairs": 5}}
    assert evidence_checks.above_reference(found).to_dict("index") == expected


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
    columns = ["draw", "n", "structure", "method", "score", "standard_error"]
    found = evidence_checks.z_scores(pd.DataFrame(rows, columns=columns)).to_dict()
    assert found == ({} if z is None else {(1, 20, "a"): pytest.approx(z)})


def test_the_reference_against_exact_in_short():
    claims = (SCORES["method"] == "reference") & (SCORES["structure"] == "0-0-0")
    # it says that it is exact, and is not
    found = evidence_checks.against_exact(
        SCORES.assign(standard_error=SCORES["standard_error"].mask(claims, 0.0))
    )
    gaps = dict(zip(KEYS, plain_gaps("reference"), strict=True))
    assert sorted(found["wrong"]) == [
        ("0-0-0", 10) for key in KEYS if key[2] == "0-0-0" and gaps[key]
    ]
    errors = values("reference", "standard_error")
    noisy = {key: gaps[key] / errors[key] for key in KEYS if key[2] != "0-0-0"}
    farthest = max(noisy, key=lambda key: abs(noisy[key]))
    expected = {"number": 10, "sizes": [10], "structure": farthest[2]}
    expected |= {"mean": mean(noisy.values()), "deviation": stdev(noisy.values())}
    expected |= {"largest": noisy[farthest], "nats": gaps[farthest], "error": errors[farthest]}
    expected["usual_error"] = mean(errors[key] for key in noisy)
    for name, value in expected.items():
        assert found[name] == (pytest.approx(value) if isinstance(value, float) else value), name
    runs = pd.Series([values("reference", "restarts")[key] for key in noisy])
    by_chance = evidence_checks.largest_by_chance(runs, abs(noisy[farthest]))
    assert {name: found[name] for name in by_chance} == pytest.approx(by_chance)
    none = evidence_checks.against_exact(SCORES[SCORES["method"] != "exact"])
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


def test_targets_are_by_size_and_the_farthest_above_is_first():
    errors = {10: 0.1, 640: 0.11, 641: 0.2, 2560: 0.5, 2561: 0.51, 10240: nan, 9999: 0.4}
    rows = [(0, n, "a", "reference", 0.0, e, 9) for n, e in errors.items()]
    rows += [(0, 640, "a", "ais", 0.0, 9.0, 9), (0, 10, "b", "reference", nan, nan, 9)]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    scores = pd.DataFrame(rows, columns=columns)
    found = evidence_checks.missed_targets(scores, 0.1)
    assert found["n"].tolist() == [2560, 640, 2561, 10240]
    assert found["excess"].tolist() == pytest.approx([2.0, 1.1, 1.02, nan], nan_ok=True)
    assert evidence_checks.missed_targets(scores, 0.15)["n"].tolist() == [2560, 10240]


def test_what_exact_evidence_says_at_each_size():
    more = pd.concat([SCORES, AT_10.assign(n=20)])
    found = evidence_checks.exact_checks(more)
    assert list(found) == [10, 20]
    compared, expected = made_up.registered(("bic", "cs", "bic_ml", "vb", "ais", "reference")), {}
    for m in compared:
        gaps = plain_gaps(m)
        order = spearmanr([*values(m).values()], [*values("exact").values()]).statistic
        expected[m] = {"structures": 12, "mean": mean(gaps), "deviation": stdev(gaps)}
        expected[m] |= {"lowest": min(gaps), "highest": max(gaps), "correlation": order}
    z = plain_z("ais")  # neither of a score without an error nor of the reference
    noise = {"number": 12, "mean": mean(z), "mean_square": mean(v**2 for v in z) ** 0.5}
    noise |= {"largest": max(map(abs, z)), "beyond": sum(abs(v) > 2 for v in z)}
    kept = [
        (low, high, sum(gap <= 1e-5 for gap in plain_gaps(low, high)), 12)
        for low, high in (("cs", "vb"), ("cs", "exact"), ("vb", "exact"))
    ]
    assert min(z) < -2 and min(count for *_, count, _ in kept) > 0
    for gaps, in_short, bounds in found.values():
        assert_rows(gaps, expected)
        assert_rows(in_short, {"ais": noise | {"expected": 0.0455 * 12}})
        assert bounds == kept
    for error in (nan, 0.0):
        gaps, in_short, _ = evidence_checks.exact_checks(AT_10.assign(standard_error=error))[10]
        assert in_short.empty and len(gaps)


def test_only_structures_that_have_exact_evidence_are_compared():
    assert evidence_checks.with_exact(SCORES[SCORES["n"] == 80]).empty
    some = AT_10[(AT_10["method"] != "exact") | (AT_10["structure"] == TRUE)]
    assert set(evidence_checks.with_exact(some).index) == {(0, 10, TRUE), (1, 10, TRUE)}
    near = AT_10.assign(score=AT_10["score"].mask(AT_10["method"] == "vb", 1e-5 - 10))
    near["score"] = near["score"].mask(near["method"] == "exact", -10.0)
    bounds = evidence_checks.bounds_kept(evidence_checks.with_exact(near))
    assert bounds[-1] == ("vb", "exact", 12, 12)  # rounding is no crossing


@pytest.mark.parametrize("truth", [TRUE, None])
def test_gaps_between_bounds(truth):
    table = made_up.sandwich().reset_index(drop=True)
    found = evidence_checks.sandwich_gaps(table, truth)
    order = sorted(range(len(table)), key=lambda i: -abs(table["gap"][i]))
    gaps = {
        of: [r["gap"] for r in made_up.rows(table) if (r["structure"] == truth) == of]
        for of in (True, False)
    }
    expected = {}
    for i in order:
        row = table.loc[i]
        error = hypot(row["lower_error"], row["upper_error"])
        expected[i] = {
            "error": error,
            "wide": row["gap"] > 1,
            "crossed": row["gap"] < -3 * error - 1e-5,
            "of_truth": row["structure"] == truth,
            "largest": row["gap"] == max(gaps[row["structure"] == truth]),
        }
    assert_rows(found, expected)
    assert 0 < found["wide"].sum() < len(found) and 0 < found["crossed"].sum() < len(found)
    exact_bounds = pd.DataFrame(
        {"lower_error": [nan, nan], "upper_error": [nan, 0.0], "gap": [-9e-6, -1.1e-5]}
    ).assign(structure=TRUE)
    assert sorted(evidence_checks.sandwich_gaps(exact_bounds)["crossed"]) == [False, True]
