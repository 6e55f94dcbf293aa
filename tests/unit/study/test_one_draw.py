"""Statistics of one draw: scores at one size, errors, differences of scores and annealing runs,
by hand and against plain loops.
"""

from math import hypot, inf, isnan, log, nan, sqrt
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
import scipy
from made_up import STRUCTURES, TRUE, assert_rows, by_structure, named, of_draw

from latentdag.study.one_draw import annealing, at_one_size, score_differences
from latentdag.study.one_draw import errors as of_errors
from latentdag.study.one_draw.errors import AS_MANY, FEWER, MORE, errors
from latentdag.study.one_draw.fits import at_best
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()


# ---- at one size


def scores_at(draw, n):
    return SCORES[(SCORES["draw"] == draw) & (SCORES["n"] == n)]


@pytest.mark.parametrize(("draw", "n"), [(0, 80), (0, 480), (1, 10)])
def test_the_best_structure_by_each_score(draw, n):
    at_n, expected = scores_at(draw, n), {}
    for m in made_up.registered(at_n["method"]):
        scores = by_structure(at_n, method=m)
        errors = dict.fromkeys(STRUCTURES, nan) | by_structure(at_n, "standard_error", method=m)
        best, second, *_ = sorted(scores, key=scores.get, reverse=True)  # of equals the first
        row = {"best": best, "score": scores[best], "standard_error": errors[best]}
        row |= {"lead": scores[best] - scores[second]}
        row |= {"lead_error": hypot(errors[best], errors[second])}
        row |= {"rank": inf, "behind": nan, "behind_error": nan}
        if TRUE in scores:
            row["rank"] = made_up.plain_rank(SCORES, draw, n, m)
            row["behind"] = scores[best] - scores[TRUE]
            row["behind_error"] = nan if best == TRUE else hypot(errors[best], errors[TRUE])
        expected[m] = row
    assert_rows(at_one_size.best_structures(at_n, TRUE), expected)
    without = at_one_size.best_structures(at_n)
    assert without[["rank", "behind", "behind_error"]].isna().all(axis=None)
    alone = at_n[at_n["structure"] == TRUE]
    assert at_one_size.best_structures(alone)["lead"].isna().all()


def test_a_gap_counts_as_below_beyond_two_standard_errors():
    rows = [("a", -1.0, 0.4), ("b", -3.0, 0.4), ("c", -2.79, 0.4), ("d", -2.0, nan)]
    rows += [("e", -2.1, nan), ("f", nan, nan)]
    table = [(s, "ais", v, e) for s, v, e in rows] + [(s, "vb", -2.0, 9.0) for s, *_ in rows]
    columns = ["structure", "method", "score", "standard_error"]
    found = at_one_size.gap_between(pd.DataFrame(table, columns=columns), "ais", "vb")
    assert found["gap"].tolist() == pytest.approx([1.0, -1.0, -0.79, 0.0, -0.1])
    assert found["beyond"].tolist() == [False, True, False, False, True]


# ---- errors

JUDGED = made_up.registered(("bic", "cs", "bic_ml", "vb", "ais", "exact"))
# structures a to d, of which b is true, and all but c have errors of BIC at 80 cases
VALUES = {
    (10, "bic"): {"a": 1.0, "b": -3.0, "c": 2.0, "d": 5.0},
    (10, "vb"): {"a": 0.5, "b": -1.0, "c": 1.5, "d": 2.0},
    (80, "bic"): {"a": -1.0, "b": -2.0, "d": -5.0},
    (80, "vb"): {"a": -0.5, "b": -1.0, "c": -6.0, "d": 1.0},
}
ERRORS = pd.DataFrame(
    [(0, n, s, m, e, 0.1) for (n, m), own in VALUES.items() for s, e in own.items()],
    columns=TABLES["errors"].columns,
).sample(frac=1, random_state=1)
LINKS = pd.DataFrame({"structure": list("abcde"), "n_links": [2, 4, 1, 3, 9]})


def test_the_table_of_errors():
    """A score or an evidence without a standard error has none."""
    exact = (SCORES["n"] == 80) & SCORES["method"].isin(["reference", "ais"])
    scores = SCORES.assign(standard_error=SCORES["standard_error"].mask(exact))
    expected = {}
    for draw, n in ((draw, n) for draw in (0, 1) for n in sorted(made_up.SIZES)):
        values, error = (
            {m: by_structure(scores, c, draw=draw, n=n, method=m) for m in (*JUDGED, "reference")}
            for c in ("score", "standard_error")
        )
        for m, s in ((k, s) for k in JUDGED for s in values[k]):
            both = [error[k].get(s, 0.0) for k in (m, "reference")]
            gap = values[m][s] - values["reference"][s]
            expected[draw, n, s, m] = {"error_nats": gap, "standard_error": hypot(*both)}
    found = errors(scores)
    assert list(found) == list(TABLES["errors"].columns)
    assert_rows(found.set_index(["draw", "n", "structure", "method"]), expected)
    without = scores[scores["method"] != "reference"]
    assert errors(without).empty and list(errors(without)) == list(found)


def test_statistics_over_the_structures():
    absolute = {10: (11 / 4, 5 / 4), 80: (8 / 3, 8.5 / 4)}
    assert_rows(of_errors.mean_absolute(ERRORS), named(("bic", "vb"), absolute))
    middle = {10: (1.5, 1.0), 80: (-2.0, -0.75)}
    assert_rows(of_errors.error_by_size(ERRORS, "median"), named(("bic", "vb"), middle))
    assert of_errors.fewer_structures(ERRORS).stack().dropna().to_dict() == {(80, "bic"): 3}
    both = ERRORS[(ERRORS["n"] == 10) | (ERRORS["structure"] != "c")]  # fewer by all methods
    assert of_errors.fewer_structures(both).isna().all(axis=None)
    overall = {"bic": (-1.0, -5.0, 5.0), "vb": (0.0, -6.0, 2.0)}
    assert_rows(of_errors.spread(ERRORS), named(("median", "min", "max"), overall))
    farthest = {"bic": (10, "d", 5.0, 0.1), "vb": (80, "c", -6.0, 0.1)}  # of equals at fewer cases
    names = ("n", "structure", "error_nats", "standard_error")
    assert_rows(of_errors.worst(ERRORS), named(names, farthest))


def test_errors_by_the_number_of_links():
    means = {("bic", FEWER): (8 / 3, -3.0), ("bic", AS_MANY): (-3.0, -2.0)}
    means |= {("vb", FEWER): (4 / 3, -5.5 / 3), ("vb", AS_MANY): (-1.0, -1.0)}
    assert_rows(of_errors.errors_by_links(ERRORS, LINKS, "b"), named((10, 80), means))
    assert of_errors.link_groups(LINKS, "b")["e"] == MORE
    assert of_errors.link_counts(ERRORS, LINKS, "b") == {FEWER: 3, AS_MANY: 1}


def test_slopes_are_those_of_least_squares():
    """For each size and score by itself."""
    d = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0})
    expected = {}
    for key, own in VALUES.items():
        x = np.column_stack([d[[*own]], np.ones(len(own))])
        (slope, _), left, *_ = scipy.linalg.lstsq(x, [*own.values()])
        error = np.sqrt(left / (len(own) - 2) * np.linalg.inv(x.T @ x)[0, 0])
        expected[key] = {"slope": slope, "slope_error": error}
    assert_rows(of_errors.slopes(ERRORS, d), expected)
    assert of_errors.slopes(ERRORS[ERRORS["structure"] < "c"], d).empty  # too few
    assert of_errors.slopes(ERRORS, pd.Series(9.0, d.index)).empty  # all alike


# ---- differences between two scores

# of structures a, b and c, by method and size: VB - BIC is 9, 9, 9 at 5 cases, 1, -1, -6 at 10, and
# 0.5, -1 at 80
BY_METHOD = {
    "bic": {80: (-20.5, -29.0, nan), 5: (-9, -9, -9), 10: (-6.0, -6.0, -6.0)},
    "vb": {80: (-20.0, -30.0, -25.0), 5: (0, 0, 0), 10: (-5.0, -7.0, -12.0), 40: (0.0,)},
}
TWO_SCORES = pd.DataFrame(
    [
        (0, n, s, method, value)
        for method, by_size in BY_METHOD.items()
        for n, values in by_size.items()
        for s, value in zip("abc", values, strict=False)
    ],
    columns=["draw", "n", "structure", "method", "score"],
)


def test_two_variants_of_a_score():
    """Where one has no rank, or did not run, there is no gap; rounding is no error."""
    places = {"bic": (3, 1, nan, 5, 2), "bic_ml": (1, 1, 4, 6, 2)}
    sizes = (80, 10, 20, 480, 40)
    rows = [(n, m, r) for m in places for n, r in zip(sizes, places[m], strict=True)]
    ranks = pd.DataFrame([*rows, (5, "bic", 1)], columns=["n", "method", "rank"])
    summary = {"sizes": 4, "differ": 2, "mean": 0.75, "largest": 2, "at": 80}
    assert score_differences.rank_gaps(ranks, "bic", "bic_ml") == summary
    assert score_differences.rank_gaps(ranks, "bic", "vb") == {}
    low = pd.Series([-6.0, -6 - 5e-6, -6 - 2e-5])  # nats: by rounding, and by more
    rows = [(10, s, "vb", v) for s, v in zip("abc", low, strict=True)]
    rows += [(10, s, "bic", -6.0) for s in "abc"]
    table = pd.DataFrame(rows, columns=["n", "structure", "method", "score"])
    assert score_differences.score_gaps(table, "vb", "bic")["below"] == 1
    assert score_differences.score_gaps(table, "vb", "cs") == {}


def test_growth_is_per_unit_of_ln_n_over_the_last_factor_of_eight():
    """From 10 to 80, which is the eighth itself; what lies before or between does not count."""
    assert score_differences.growth(TWO_SCORES).to_dict() == pytest.approx(
        {"a": -0.5 / log(8), "b": 0.0}
    )
    found = score_differences.growth_in_short(TWO_SCORES, "a", "bic")
    assert (found.pop("slowest"), found.pop("fastest")) == ("a", "b")
    ends = {"lowest": -0.5 / log(8), "highest": 0.0, "median": -0.25 / log(8)}
    assert found == pytest.approx({"first": 10, "last": 80, "true": ends["lowest"]} | ends)
    assert isnan(score_differences.growth_in_short(TWO_SCORES, "c", "bic")["true"])
    for few in (TWO_SCORES[TWO_SCORES["n"] != 10], TWO_SCORES[TWO_SCORES["method"] == "vb"]):
        own = few[few["n"] != 40]
        assert score_differences.growth_window(own) is None and score_differences.growth(own).empty
        assert score_differences.growth_in_short(own, "a", "bic") == {}


# ---- annealing

RUNS = made_up.annealing()


def plain_length(draw, steps):
    runs = made_up.rows(RUNS, draw=draw, steps=steps)
    prior, true = ([r["log_weight"] for r in runs if r["start"] == s] for s in ("prior", "true"))
    weights = np.exp(np.array(prior) - max(prior))
    effective = weights.sum() ** 2 / (weights**2).sum()
    row = {"chains": 3, "median": median(prior), "estimate": max(prior) + log(weights.mean())}
    row |= {"standard_error": stdev(prior) / sqrt(effective), "true": mean(true)}
    return row | {"spread": max(prior + true) - min(prior + true)}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((-20.0, -11.0, -10.5, -9.0), (128, 128)),
        ((-20.0, -10.5, -8.9, -9.5), (128, 512)),
        ((-10.5, -20.0, -10.5, -8.9), (64, None)),
        ((-20.0, -8.9, -11.1, -8.0), (None, None)),
        ((nan, nan, -10.0, -10.0), (256, 256)),
    ],
)
def test_steps_within_a_nat(values, expected):
    series = pd.Series(values, index=[64, 128, 256, 512])
    assert annealing.steps_within(series[::-1], -10.0) == expected


@pytest.mark.parametrize("draw", [0, 1])
def test_runs_by_length(draw):
    runs = of_draw(RUNS, draw)
    lengths = annealing.length_statistics(runs)
    assert_rows(lengths, {n: plain_length(draw, n) for n in (64, 512, 1024, 4096, 8192)})
    found = annealing.length_statistics(runs[(runs["start"] == "true") | (runs["steps"] != 1024)])
    assert found.index[found["estimate"].isna()].tolist() == [1024] and found["true"].notna().all()


# ---- restarts


def test_restarts_that_reach_the_best_optimum():
    hits, restarts = [1, 2, 5, 9, 40, 7, 3, 0, 6, 8, 64], [64] * 10 + [128]
    fits = pd.DataFrame({"job": "vb", "restarts": restarts, "restarts_at_best": hits})
    other = pd.DataFrame({"job": ["map"], "restarts": 20, "restarts_at_best": nan})
    found = at_best(pd.concat([fits, other])).loc["vb"].to_dict()
    ordered = sorted(hits)
    expected = {"fits": 11, "fewest_restarts": 64, "most_restarts": 128, "fewest": 0, "once": 2}
    expected |= {"tenth": ordered[1], "median": ordered[5], "share": 6 / 64}
    assert found == expected
