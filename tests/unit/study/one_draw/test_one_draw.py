"""Statistics of one draw, by hand and against plain loops: scores at one size, errors, differences
of scores, annealing runs, and how near scores are to the evidence and what they are worth.
"""

from math import hypot, inf, log, nan, sqrt
from statistics import mean, median, stdev

import made_up
import numpy as np
import pandas as pd
import pytest
import scipy
from made_up import SIZES, STRUCTURES, TRUE, assert_rows, assert_table, by_structure, of_draw
from scipy.stats import spearmanr

from latentdag.study.many_draws.population import MEASURES
from latentdag.study.one_draw import annealing, at_one_size, score_differences
from latentdag.study.one_draw import errors as of_errors
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.worth import measures, worths
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()


# ---- at one size


@pytest.mark.parametrize(("draw", "n"), [(0, 80), (0, 480), (1, 10)])
def test_the_best_structure_by_each_score(draw, n):
    at_n, expected = SCORES[(SCORES["draw"] == draw) & (SCORES["n"] == n)], {}
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
    [(0, n, s, m, e, 0.1) for (n, m), values in VALUES.items() for s, e in values.items()],
    columns=TABLES["errors"].columns,
).sample(frac=1, random_state=1)


def test_the_table_of_errors():
    """A score without sampling has no standard error; where AIS or the evidence has none, neither
    has the error."""
    lacking = (SCORES["n"] == 80) & SCORES["method"].isin(["reference", "ais"])
    lacking |= (SCORES["draw"] == 1) & (SCORES["method"] == "ais")
    scores = SCORES.assign(standard_error=SCORES["standard_error"].mask(lacking))
    expected = {}
    for draw, n in ((draw, n) for draw in (0, 1) for n in sorted(SIZES)):
        values, error = (
            {m: by_structure(scores, c, draw=draw, n=n, method=m) for m in (*JUDGED, "reference")}
            for c in ("score", "standard_error")
        )
        for m, s in ((k, s) for k in JUDGED for s in values[k]):
            of_score = error[m].get(s, nan) if m == "ais" else 0.0
            both = hypot(of_score, error["reference"].get(s, nan))
            gap = values[m][s] - values["reference"][s]
            expected[draw, n, s, m] = {"error_nats": gap, "standard_error": both}
    assert_table("errors", errors(scores), ["draw", "n", "structure", "method"], expected)
    without = errors(scores[scores["method"] != "reference"])
    assert without.empty and list(without) == list(TABLES["errors"].columns)


def test_slopes_are_those_of_least_squares():
    """For each size and score by itself."""
    d = pd.Series({"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0})
    expected = {}
    for key, values in VALUES.items():
        x = np.column_stack([d[[*values]], np.ones(len(values))])
        (slope, _), left, *_ = scipy.linalg.lstsq(x, [*values.values()])
        error = np.sqrt(left / (len(values) - 2) * np.linalg.inv(x.T @ x)[0, 0])
        expected[key] = {"slope": slope, "slope_error": error}
    assert_rows(of_errors.slopes(ERRORS, d), expected)
    assert of_errors.slopes(ERRORS[ERRORS["structure"] < "c"], d).empty  # too few
    assert of_errors.slopes(ERRORS, pd.Series(9.0, d.index)).empty  # all alike


# ---- differences between two scores

# of structures a, b and c, by method and size: VB - BIC is 9, 9, 9 at 5 cases, 1, -1, -6 at 10, and
# 0.5, -1 at 80
BY_SIZE = {
    (80, "bic"): (-20.5, -29.0, nan), (5, "bic"): (-9, -9, -9), (10, "bic"): (-6.0, -6.0, -6.0),
    (80, "vb"): (-20.0, -30.0, -25.0), (5, "vb"): (0, 0, 0), (10, "vb"): (-5.0, -7.0, -12.0),
    (40, "vb"): (0.0,),
}  # fmt: skip
TWO_SCORES = pd.DataFrame(
    [(0, n, s, m, v) for (n, m), of in BY_SIZE.items() for s, v in zip("abc", of, strict=False)],
    columns=["draw", "n", "structure", "method", "score"],
)


def test_two_variants_of_a_score():
    """Where one did not run there is no gap; rounding is no error."""
    low = pd.Series([-6.0, -6 - 5e-6, -6 - 2e-5])  # nats: by rounding, and by more
    rows = [(10, s, "vb", v) for s, v in zip("abc", low, strict=True)]
    rows += [(10, s, "bic", -6.0) for s in "abc"]
    table = pd.DataFrame(rows, columns=["n", "structure", "method", "score"])
    assert score_differences.score_gaps(table, "vb", "bic")["below"] == 1
    assert score_differences.score_gaps(table, "vb", "cs") == {}


def test_growth_is_per_unit_of_ln_n_over_the_last_factor_of_eight():
    """From 10 to 80, which is the eighth itself; what lies before or between does not count."""
    gap = score_differences.score_gap(TWO_SCORES, "vb", "bic")
    for structure, expected in (("a", pytest.approx(-0.5 / log(8))), ("b", 0.0), ("c", None)):
        assert score_differences.growth(gap, structure) == (10, 80, expected)
    few = score_differences.score_gap(TWO_SCORES.query("n not in (10, 40)"), "vb", "bic")
    assert score_differences.growth(few, "a") == (80, 80, None)


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
        ((-20.0, -11.0, -10.5, -9.0), 128),
        ((-20.0, -10.5, -8.9, -9.5), 512),
        ((-10.5, -20.0, -10.5, -8.9), None),
        ((-20.0, -8.9, -11.1, -8.0), None),
    ],
)
def test_steps_within_a_nat(values, expected):
    series = pd.Series(values, index=[64, 128, 256, 512])
    assert annealing.steps_near(series[::-1], -10.0) == expected
    assert annealing.steps_near(series, nan) is None


@pytest.mark.parametrize("draw", [0, 1])
def test_runs_by_length(draw):
    runs = of_draw(RUNS, draw)
    lengths = annealing.length_statistics(runs)
    assert_rows(lengths, {n: plain_length(draw, n) for n in (64, 512, 1024, 4096, 8192)})
    few = annealing.length_statistics(runs[(runs["start"] == "true") | (runs["steps"] != 1024)])
    assert few.index[few["estimate"].isna()].tolist() == [1024] and few["true"].notna().all()


# ---- distances from the evidence

ERROR_TABLE = errors(SCORES)


@pytest.mark.parametrize("draw", [0, 1])
def test_error_and_order_against_the_evidence(draw):
    order, error = ({n: dict.fromkeys(JUDGED) for n in sorted(SIZES)} for _ in range(2))
    for n, m in ((n, m) for n in SIZES for m in JUDGED):
        at = {"draw": draw, "n": n}
        evidence, values = (by_structure(SCORES, **at, method=k) for k in ("reference", m))
        if values:
            error[n][m] = mean(abs(v - evidence[s]) for s, v in values.items())
            order[n][m] = spearmanr([*values.values()], [evidence[s] for s in values]).statistic
    for frame, expected in (
        (of_errors.mean_absolute(of_draw(ERROR_TABLE, draw)), error),
        (of_errors.order_correlation(of_draw(SCORES, draw)), order),
    ):
        assert list(frame) == JUDGED
        assert_rows(frame, expected)


def test_an_order_needs_two_structures_that_differ():
    rows = [
        (0, 80, s, m, v)
        for s, r, v in (("a", 1.0, 5.0), ("b", 2.0, 5.0))
        for m, v in (("reference", r), ("vb", v), ("bic", -r))
    ]
    rows += [(0, 10, "a", m, 1.0) for m in ("reference", "vb", "bic")]
    table = pd.DataFrame(rows, columns=["draw", "n", "structure", "method", "score"])
    assert_rows(of_errors.order_correlation(table), {80: {"bic": -1, "vb": nan}})
    assert of_errors.order_correlation(SCORES.iloc[:0]).empty
    assert of_errors.mean_absolute(ERROR_TABLE.iloc[:0]).empty


def test_the_nearest_score_without_sampling():
    """The first of those equally near; never the evidence."""
    frame = pd.DataFrame(
        {"bic": [2.0, nan, nan, 1.0], "vb": [2.0, nan, 3.0, nan], "ais": [nan, nan, 1.0, nan]}
        | {m: [0.0] * 4 for m in ("exact", "reference")}
    )
    nearest = frame.apply(of_errors.nearest_without_sampling, axis="columns")
    assert nearest.tolist() == ["bic", "", "vb", "bic"]


# ---- what each score is worth

CANDIDATES = pd.DataFrame(
    {
        "structure": ["0-0", "0-1", "1-0", "1-1", "1-12", "12-12"],
        "class": list("abcdef"),
        "n_links": [0, 1, 1, 2, 3, 4],
        "n_parameters": [4, 6, 6, 8, 8, 8],
    }
)
EVIDENCE = [-10.0, -9.0, -12.0, -7.0, -8.0, -11.0]
VB = [-11.0, -9.5, -14.0, nan, -10.0, -9.9]
ERROR = [0.0, 0.1, 0.1, 0.4, 0.2, 0.9]  # the last is too large to measure errors by


def scores(n=80, draw=3, vb=VB, error=ERROR) -> pd.DataFrame:
    both = {"reference": (EVIDENCE, error), "vb": (vb, [nan] * 6)}
    rows = [
        {"draw": draw, "n": n, "structure": s, "method": m, "score": value, "standard_error": se}
        for m, (values, errors) in both.items()
        for s, value, se in zip(CANDIDATES["structure"], values, errors, strict=True)
    ]
    return pd.DataFrame(rows).assign(restarts=8.0)


def test_measures_by_hand():
    """The score does not have the best structure, and picks the second: 2 nats are lost."""
    row = worths(scores(), CANDIDATES, "0-1").set_index("method").loc["vb"]
    vb, evidence = (np.delete(values, 3) for values in (VB, EVIDENCE))
    p, q = (np.exp(values) / np.exp(values).sum() for values in (vb, evidence))
    expected = {"mean_absolute_error": (1 + 0.5 + 2 + 2) / 4}
    expected |= {"order": spearmanr(vb, evidence).statistic, "regret": -7 - -9}
    # d = 6: in the same order; d = 8: two structures, in the opposite one; d = 4: one
    expected |= {"order_same_d": (1 * 1 - 1 * 1) / 2, "total_variation": abs(p - q).sum() / 2}
    assert row[list(expected)].to_dict() == pytest.approx(expected)


def test_groups_are_weighted_by_their_size():
    """Three in the same order, two in the opposite one: (2 - 1) / 3."""
    d = np.array([8, 8, 8, 6, 6])
    score, evidence = np.array([1.0, 2, 3, 2, 1]), np.array([1.0, 2, 3, 1, 2])
    row = measures(score, evidence, d, np.ones(5, dtype=bool))
    assert row["order_same_d"] == pytest.approx(1 / 3)


def test_baselines_see_no_data():
    """Fewer are better; as no ln evidence they have no distance from it."""
    table = worths(scores(), CANDIDATES, "0-1").set_index("method")
    for name, column in (("fewer links", "n_links"), ("fewer parameters", "n_parameters")):
        row = table.loc[name]
        assert row["order"] == pytest.approx(spearmanr(-CANDIDATES[column], EVIDENCE).statistic)
        assert row[["mean_absolute_error", "total_variation"]].isna().all()
        assert row["regret"] == pytest.approx(-7 - -10)
    assert np.isnan(table.loc["fewer parameters", "order_same_d"].item())


def test_the_reference_has_its_own_error():
    """None without one, or where it is large; with one of 0.4 nats the mean absolute error is
    0.4 sqrt(2 / pi).
    """
    for last in (0.0, 0.9):
        exact = worths(scores(error=[0.0] * 5 + [last]), CANDIDATES, "0-1").set_index("method")
        assert exact.loc["reference", list(MEASURES)].tolist() == pytest.approx([0, 1, 1, 0, 0])
    table = pd.concat(
        worths(scores(error=[0.4] * 6, draw=draw), CANDIDATES, "0-1", 7) for draw in range(40)
    ).query("method == 'reference'")
    # 40 draws, 20 repetitions, 6 structures: a standard error of 0.6 x 0.4 / sqrt(4800)
    expected = pytest.approx(0.4 * np.sqrt(2 / np.pi), abs=4 * 0.6 * 0.4 / 69)
    assert table["mean_absolute_error"].mean() == expected and 0.9 < table["order"].mean() < 1
    assert table["mean_absolute_error"].nunique() == 40
    # what a pick loses is by the evidence without error, here whole nats: a mean of 20 of these
    lost = 20 * table["regret"]
    assert lost.sum() > 0 and lost.tolist() == pytest.approx(lost.round().tolist())


def test_parts_of_the_mean_gap():
    """Of means over draws, as of scores."""
    rows = [(480, "vb", -9.0), (480, "vb_mix", -2.5), (480, "vb_collapsed", -4.0), (80, "vb", -5.0)]
    rows += [(80, "vb_collapsed", -3.0)]
    table = pd.DataFrame(rows, columns=["n", "method", "mean_error"])
    expected = {480: {"gap": 9.0, "theta": 5.0, "modes": 1.5, "cases": 2.5}}
    assert_rows(score_differences.parts_of_mean_gap(table), expected)
    assert score_differences.parts_of_mean_gap(table[table["method"] == "vb"]).empty
