"""Statistics over many draws, by hand, by plain loops and by joins."""

from itertools import permutations, product
from math import comb, erfc, inf, log, nan, prod, sqrt
from statistics import fmean, median, stdev

import numpy as np
import pandas as pd
import pytest
import scipy
from made_up import assert_rows, assert_table, registered

from latentdag import Family, Prior, Structure, fit, score_structures
from latentdag.analysis.estimates import estimate
from latentdag.engine.streams import generator
from latentdag.model.parameters import cell_probabilities, draw_parameters
from latentdag.study.many_draws import calibration as of_itself
from latentdag.study.many_draws import recovery
from latentdag.study.many_draws.calibration import calibration
from latentdag.study.many_draws.outside import (
    cases_of_cells,
    least_and_most_lost,
    outside,
    picks,
    truth_cells,
)
from latentdag.study.many_draws.population import MEANS, population, share, wrong_against_true
from latentdag.study.schema.columns import TABLES

BY = ("class", "structure")

# ---- the population


def quantile(values, level):
    """The smallest value that at least this share of the values does not exceed."""
    order = sorted(values)
    return next(v for v in order if sum(w <= v for w in order) >= level * len(order) - 1e-9)


def verdicts(ranks, values, **of):
    """Verdicts of several draws; each mean is over these values, times a number of its own."""
    table = pd.DataFrame({"rank": ranks, "top_probability": values}).assign(**of)
    for k, name in enumerate(MEANS, start=1):
        table[name] = k * np.array(values)
    return table.assign(draw=range(len(table)))


def test_every_column_of_the_population():
    """A rank that the truth does not have is beyond all; a mean is over the draws with a value."""
    vb = {"n": 80, "by": "structure", "method": "vb"}
    parts = [
        verdicts([9.0], [4.0], **vb | {"n": 480}),
        verdicts([3.0, 1.0, nan, 6.0, 2.0], [5.0, 1.0, nan, 2.0, 4.0], **vb),
        verdicts([7.0, 5.0], [1.0, 2.0], **vb | {"by": "class"}),
        verdicts([nan, 1.0], [1.0, 3.0], **vb | {"method": "bic"}),
    ]
    names = ("rank_10", "rank_25", "rank_50", "rank_75", "rank_90", "expected_first")
    expected = {
        (80, "class", "vb"): (5, 5, 5, 7, 7, 1.5, 0, 1, 2, 0.5),
        (80, "structure", "bic"): (1, 1, 1, nan, nan, 2.0, 1, 1, 2, 1.0),
        (80, "structure", "vb"): (1, 2, 3, 6, nan, 3.0, 1, 3, 5, sqrt(10 / 3) / 2),
        (480, "structure", "vb"): (9, 9, 9, 9, 9, 4.0, 0, 0, 1, nan),
    }
    for key, (*values, first, in_five, draws, error) in expected.items():
        row = dict(zip(names, values, strict=True)) | {"draws": draws}
        for name, count in (("first", first), ("in_five", in_five)):
            row |= zip((name, f"{name}_low", f"{name}_high"), share(count, draws), strict=True)
        for k, name in enumerate(MEANS, start=1):
            row |= {name: k * row["expected_first"], f"{name}_se": k * error}
        expected[key] = row
    assert_table("population", population(pd.concat(parts)), ["n", "by", "method"], expected)


# ---- the sizes from which the truth is found


def test_the_sizes_from_which_the_truth_is_found():
    """Draw 2 has no size beyond 480; VB is first there at 80 for good, at 10 by chance."""
    ranks = [(5, 10240, 2), (5, 10, 1), (2, 480, 1), (2, 10, 1), (2, 80, 1), (2, 40, 3)]
    vb = pd.DataFrame(ranks, columns=["draw", "n", "rank"]).assign(by="structure", method="vb")
    early = vb[vb["n"] == 10].assign(method="exact")  # ran at no largest size
    bic = vb.assign(by="class", method="bic", rank=3 - vb["rank"])
    expected = {
        (2, "class", "bic"): (nan, 480), (2, "structure", "vb"): (80, 40),
        (5, "class", "bic"): (10240, 10), (5, "structure", "vb"): (nan, 10240),
    }  # fmt: skip
    expected = {key: {"n_found": n, "above": above} for key, (n, above) in expected.items()}
    table = recovery.recovery_table(pd.concat([early, vb, bic]))
    assert_table("found", table, ["draw", "by", "method"], expected)


def made_up_found(draws: int = 40, seed: int = 2) -> pd.Series:
    """By draw, kind and method the size found, a third of them never; AIS in a few draws alone."""
    rng = np.random.default_rng(seed)
    sizes = {
        (draw, by, m): rng.choice([10, 80, 480, 10240, inf, inf])
        for draw in rng.permutation(draws).tolist()
        for by in BY
        for m in ("vb", "bic", "reference", "ais")
        if m != "ais" or draw < 9
    }
    return pd.Series(sizes, name="n_found").rename_axis(["draw", "by", "method"])


FOUND = made_up_found()
FOUND_METHODS = registered(FOUND.index.unique("method"))
ABOVE = {10: 0, 80: 10, 480: 80, 10240: 480, inf: 10240}  # the size before each
FOUND_TABLE = FOUND.replace(inf, nan).reset_index().assign(above=FOUND.map(ABOVE).to_numpy())
NEVER = FOUND_TABLE.assign(n_found=nan, above=10240)


def test_the_share_that_is_found():
    expected = {}
    for n, by, m in product((10, 80, 480), BY, FOUND_METHODS):
        sizes = FOUND.loc[:, by, m]
        ends = share((sizes <= n).sum(), len(sizes))
        row = dict(zip(("share", "low", "high"), ends, strict=True))
        expected[n, by, m] = row | {"draws": len(sizes)}
    shares = recovery.recovery_shares(FOUND_TABLE, np.array([480, 10, 80]))
    assert_table("found_share", shares, ["n", "by", "method"], expected)


def both_sizes(by, method, other):
    """The sizes by two scores in the draws that have both."""
    pairs = pd.concat([FOUND.loc[:, by, method], FOUND.loc[:, by, other]], axis=1, join="inner")
    return pairs.to_numpy().tolist()


def median_interval(values):
    """The two order statistics between which the median lies with 95 % at least, by counting: it
    is below the k-th of N values when fewer than k of N fair coins show heads.
    """
    values, n = sorted(values), len(values)
    k = sum(binomial_below(i, n) <= 0.025 for i in range(1, n + 1))
    return (values[k - 1], values[n - k]) if k and values[k - 1] < values[n - k] else (nan, nan)


def binomial_below(k, n):
    """The probability that fewer than k of n fair coins show heads."""
    return sum(comb(n, i) for i in range(k)) / 2**n


def plain_median_ratio(both):
    """The ends between which the median of y / x lies, and its interval with 95 % at least, where
    the sizes lie between those found and the ones before; nan where an end is beyond all sizes.
    """
    least = sorted(ABOVE[y] / x for x, y in both)
    most = sorted(y / ABOVE[x] if ABOVE[x] else inf for x, y in both)
    k = sum(binomial_below(i, len(both)) <= 0.025 for i in range(1, len(both)))
    ends = median(least), median(most), least[k - 1] if k else 0, most[-k] if k else inf
    names = ("ratio_least", "ratio_most", "ratio_low", "ratio_high")
    return {name: nan if end == inf else end for name, end in zip(names, ends, strict=True)}


def test_every_column_of_the_comparisons():
    expected = {}
    for by, (a, b) in product(BY, permutations(FOUND_METHODS, 2)):
        both = both_sizes(by, a, b)
        earlier, later = sum(x < y for x, y in both), sum(x > y for x, y in both)
        factors = [y / x for x, y in both if max(x, y) < inf]
        row = {"draws": len(both), "earlier": earlier, "later": later}
        row["same"] = sum(x == y < inf for x, y in both)
        row["undecided"] = sum(x == y == inf for x, y in both)
        ends = (*share(earlier, earlier + later), median(factors), *median_interval(factors))
        names = ("share_earlier", "low", "high", "factor", "factor_low", "factor_high")
        expected[by, a, b] = row | plain_median_ratio(both) | dict(zip(names, ends, strict=True))
    table = recovery.comparisons(FOUND_TABLE)
    assert_table("comparisons", table, ["by", "method", "other"], expected)
    assert set(table["draws"]) == {9, 40} and 0 < table["factor_low"].isna().sum() < len(table)
    never = recovery.comparisons(NEVER)
    assert never["undecided"].equals(never["draws"])
    assert never[["share_earlier", "factor", "factor_low"]].isna().all(axis=None)
    assert table["ratio_most"].isna().any() and (table["ratio_least"] == 0).any()
    assert (never["ratio_least"] == 0).all() and never["ratio_most"].isna().all()


def test_a_median_has_no_interval_of_width_0():
    """Where nearly all draws have one ratio of sizes, which is made by the grid."""
    rows = [
        (d, "structure", m, n, 480 * (n > 480))
        for d in range(30)
        for m, n in (("vb", 480), ("bic", 960 if d else 480), ("reference", 480 if d else 960))
    ]
    sizes = pd.DataFrame(rows, columns=TABLES["found"].columns)
    table = recovery.comparisons(sizes).set_index(["method", "other"])
    assert table.loc[("vb", "bic"), "factor"] == 2
    assert table[["factor_low", "factor_high"]].isna().all(axis=None)
    needed = recovery.cases_needed(sizes).set_index("method")
    assert needed.loc["bic", "ratio_50"] == 2
    assert needed[["ratio_50_low", "ratio_50_high"]].isna().all(axis=None)


def test_every_column_of_the_cases_needed():
    expected = {}
    for by, m in product(BY, FOUND_METHODS[:-1]):
        both = [(x, y) for x, y in both_sizes(by, "reference", m) if x < inf]
        ratios = [y / x for x, y in both]
        row = {f"ratio_{q}": quantile(ratios, q / 100) for q in (10, 25, 50, 75, 90)}
        row |= zip(("ratio_50_low", "ratio_50_high"), median_interval(ratios), strict=True)
        row = {name: nan if value == inf else value for name, value in row.items()}
        row |= plain_median_ratio(both)
        never = share(ratios.count(inf), len(ratios))
        row |= zip(("never", "never_low", "never_high"), never, strict=True)
        expected[by, m] = row | {"draws": len(ratios)}
    table = recovery.cases_needed(FOUND_TABLE)
    assert_table("cases_needed", table, ["by", "method"], expected)
    assert table["ratio_90"].isna().any() and table["ratio_25"].notna().all()
    assert recovery.cases_needed(FOUND_TABLE[FOUND_TABLE["method"] != "reference"]).empty
    never = recovery.cases_needed(NEVER)
    assert (never["draws"] == 0).all() and never["never"].isna().all()


@pytest.mark.parametrize("truth", [1.3, 1.7, 2.6])
def test_a_median_ratio_on_a_grid_that_doubles_contains_the_truth(truth):
    """Where the true ratio is known, and sizes can only be ratios of powers of 2."""
    rng = np.random.default_rng(1)
    vb = 40 * np.exp(rng.uniform(0, 4, size=101))
    bic = vb * truth * np.exp(rng.normal(0, 0.05, size=101))

    def on_a_grid(grid):
        for needed in (vb, bic):
            rows = [(d, n, 1 if n >= size else 3) for d, size in enumerate(needed) for n in grid]
            table = pd.DataFrame(rows, columns=["draw", "n", "rank"]).sample(frac=1, random_state=1)
            yield recovery.recovery_table(table.assign(by="structure", method="vb"))

    intervals = list(on_a_grid([10 * 2**k for k in range(11)]))
    coarse = recovery.median_ratio(*intervals)
    assert coarse["low"] <= coarse["least"] < median(bic / vb) <= coarse["most"] <= coarse["high"]
    of_vb, of_bic = (interval["n_found"] for interval in intervals)
    assert median(of_bic / of_vb) in (1, 2, 4)  # what a ratio of sizes found would say
    fine = recovery.median_ratio(*on_a_grid([round(10 * 2 ** (k / 4)) for k in range(41)]))
    assert fine["least"] < median(bic / vb) <= fine["most"] < 2 * fine["least"]


def test_a_median_ratio_of_few_draws_or_of_none_has_no_interval():
    ends, none = pd.DataFrame({"above": [80.0] * 5, "n_found": 160.0}), {"low": 0.0, "high": inf}
    assert recovery.median_ratio(ends, ends) == none | {"least": 0.5, "most": 2.0}
    assert recovery.median_ratio(ends[:0], ends[:0])["most"] == inf
    never = ends.assign(above=10240.0, n_found=inf)
    assert recovery.median_ratio(never, never) == none | {"least": 0.0, "most": inf}


# ---- whether posteriors are right about themselves


def test_every_column_of_the_calibration():
    """A draw in which the truth, or the reference, has no score is left out of some; without a
    reference at a size, nothing is compared with it there.
    """
    columns = {
        "top_probability": (0.5, 0.8, 0.6), "probability": (0.4, 0.1, 0.0),
        "top": ("a", "b", "c"), "truth": ("a", "a", "c"),
        "log_probability": (-1.0, -2.0, nan), "brier": (0.5, 1.2, 0.3),
        "expected_log_probability": (-0.7, -0.5, -0.6), "expected_brier": (0.4, 0.5, 0.3),
        "variance_log_probability": (0.3, 0.1, 0.2), "variance_brier": (0.02, 0.03, 0.04),
    }  # fmt: skip
    vb = pd.DataFrame(columns).assign(draw=range(3), n=10, by="structure", method="vb")
    of_evidence = {"log_probability": (-0.5, -1.0, -0.2), "brier": (0.4, nan, 0.1)}
    reference = vb.assign(method="reference", **of_evidence)
    of_class = pd.concat([vb, reference]).assign(by="class", log_probability=nan)
    without = vb.assign(method="map", probability=nan)
    table = pd.concat([vb.assign(n=480), of_class, reference, without, vb])
    # draws, value, expected, standard error
    accuracy = (3, 2 / 3, 1.9 / 3, sqrt(0.25 + 0.16 + 0.24) / 3)
    of_vb = {"accuracy": accuracy, "log score": (2, -1.5, -0.6, sqrt(0.4) / 2)}
    of_vb["Brier score"] = (3, 2 / 3, 0.4, 0.1)
    below = {"below the reference in log score": (2, 0.75, 0.0, 0.25)}
    below["below the reference in Brier score"] = (2, 0.15, 0.0, 0.05)
    of_reference = {"accuracy": accuracy, "log score": (3, -1.7 / 3, -0.6, sqrt(0.6) / 3)}
    of_reference["Brier score"] = (2, 0.25, 0.35, sqrt(0.06) / 2)
    both = (("vb", of_vb | below), ("reference", of_reference))
    parts = {(10, by, m): statistics for by in BY for m, statistics in both}
    expected = {}
    for (n, by, m), statistics in (parts | {(480, "structure", "vb"): of_vb}).items():
        for name, (draws, value, mean, error) in statistics.items():
            if by == "structure" or "log" not in name:
                z = (value - mean) / error
                row = {"draws": draws, "value": value, "expected": mean, "standard_error": error}
                expected[n, by, m, name] = row | {"z": z, "p_value": erfc(abs(z) / sqrt(2))}
    by = ["n", "by", "method", "statistic"]
    assert_table("calibration", calibration(table), by, expected)


@pytest.mark.parametrize(("truth", "z"), [("a", nan), ("b", -inf)])
def test_what_is_certain_has_no_z_when_right_and_is_infinite_when_wrong(truth, z):
    columns = dict.fromkeys(TABLES["verdicts"].columns, 0.0)
    columns |= {"n": 10, "by": "structure", "method": "vb", "top": "a", "truth": truth}
    columns |= {"top_probability": 1.0, "log_probability": nan, "brier": nan}
    (row,) = calibration(pd.DataFrame([columns] * 4)).to_dict("records")
    assert row["z"] == pytest.approx(z, nan_ok=True)
    assert row["p_value"] == pytest.approx(nan if truth == "a" else 0.0, nan_ok=True)


def test_tests_of_the_reference():
    """Together at most certain. A Brier score above what is expected is too sure, as are the other
    two below."""
    names = ["accuracy", "log score", "Brier score"]
    table = pd.DataFrame({"statistic": names, "method": "reference", "n": 80, "z": 1.0})
    table["p_value"] = 0.5
    tests = of_itself.tests_of_the_reference(table)
    assert (tests["together"], tests["largest"], tests["sure"]) == (1, 0, 0)
    assert of_itself.tests_of_the_reference(table.assign(z=nan)) == {}
    later = table.assign(n=480, z=[-2.0, -2.5, 2.1], p_value=[0.046, 0.012, 0.036])
    other = later.assign(method="vb", n=5120)
    tests = of_itself.tests_of_the_reference(pd.concat([later, table, other]))
    assert [tests[k] for k in ("last", "below", "largest", "sure")] == [480, 3, 3, 3]
    tests = of_itself.tests_of_the_reference(pd.concat([later.assign(z=[2.0, -2.5, -2.1]), table]))
    assert [tests[k] for k in ("largest", "sure")] == [3, 1]


def test_the_reference_over_all_sizes():
    """A draw counts once, however many sizes it has; classes and other scores do not count."""
    columns = ["draw", "n", "log_probability", "brier", "top"]
    rows = [(0, 80, -2.0, 0.5, "t"), (0, 480, -1.0, 0.7, "a"), (1, 80, nan, 0.3, "t")]
    rows += [(2, 80, -3.5, 0.2, "t"), (3, 80, -0.5, 0.1, "a")]
    table = pd.DataFrame(rows, columns=columns).assign(truth="t", by="structure")
    table = table.assign(method="reference", expected_log_probability=-1.0)
    table = table.assign(expected_brier=0.4, top_probability=0.75)
    others = table.assign(brier=9.0)
    every = pd.concat([table, others.assign(by="class"), others.assign(method="vb")])
    gaps = {"accuracy": (-0.25, 0.25, 0.25, -0.75), "log score": (-0.5, -2.5, 0.5)}
    gaps["Brier score"] = (0.2, -0.1, -0.2, -0.3)
    expected = {}
    for name, of_draw in gaps.items():
        error = stdev(of_draw) / sqrt(len(of_draw))
        p = 2 * scipy.stats.t.sf(abs(fmean(of_draw)) / error, len(of_draw) - 1)
        row = {"draws": len(of_draw), "gap": fmean(of_draw), "standard_error": error}
        expected[name] = row | {"p_value": p}
    assert_rows(of_itself.pooled(every.sample(frac=1, random_state=1)), expected)
    assert of_itself.pooled(every[every["draw"] == 0]).empty


# ---- what wrong structures lose in prediction


def picked(rows):
    """Rows of draw, n, method, pick, and nats lost by it; the truth is t."""
    columns = ["draw", "n", "method", "top", "lost_by_top"]
    table = pd.DataFrame(rows, columns=columns).assign(by="structure", truth="t")
    return pd.concat([table.assign(by="class", top="c"), table])


PICKED = picked(
    [
        (1, 80, "vb", "a", 0.5), (1, 80, "bic", "a", 0.5), (1, 80, "cs", "b", 0.2),
        (1, 80, "ais", "t", 0.1), (1, 80, "reference", "t", 0.1),
        (2, 80, "vb", "t", 0.3), (2, 80, "reference", "a", 0.2), (2, 80, "map", "", nan),
        (3, 80, "vb", "a", 0.4), (3, 80, "reference", "a", 0.4),  # no score picks the truth
        (1, 480, "vb", "a", nan), (1, 480, "reference", "t", nan),  # the largest size
        (1, 20, "vb", "a", 0.2), (1, 20, "reference", "t", 0.4),
    ]
)  # fmt: skip


def summary(*gaps):
    error = stdev(gaps) / sqrt(len(gaps)) if len(gaps) > 1 else nan
    return {"draws": len(gaps), "mean": fmean(gaps), "standard_error": error}


def test_wrong_structures_against_the_true_one():
    """A wrong structure counts once per draw, however many scores pick it."""
    expected = {20: summary(-0.2), 80: summary(0.35 - 0.1, -0.1)}
    assert_rows(wrong_against_true(PICKED), expected)


@pytest.mark.parametrize(
    ("gaps", "sure"),
    [((2, 3, 4), 1), ((-2, -3, -4), -1), ((1, 2, 3), 0), ((-1, -2, -3), 0), ((-1, 2, 3), 0)],
)
def test_a_wrong_structure_is_surely_worse_by_students_t(gaps, sure):
    """The standard error of 1, 2, 3 is 0.58; with 2 degrees of freedom 4.3 of it are sure."""
    rows = [(draw, 20, "vb", "a", 5.0 + gap) for draw, gap in enumerate(gaps)]
    table = wrong_against_true(picked(rows + [(draw, 20, "ais", "t", 5.0) for draw in range(3)]))
    assert_rows(table, {20: summary(*gaps) | {"sure": sure}})


def test_nothing_is_lost_where_no_draw_tells():
    assert wrong_against_true(PICKED[PICKED["n"] == 480]).empty


# ---- truths in no structure

FAMILY = Family((2, 3), (2, 3, 4))
STRUCTURE = Structure.from_label("1-12-2", FAMILY)


@pytest.mark.parametrize(("link", "parent", "child"), [((1, 3), 0, 2), ((3, 2), 2, 1)])
def test_a_linked_variable_has_a_table_for_each_value_of_its_parent(link, parent, child):
    """The first drawn parameters are those of a structure; then follow the child's tables."""
    cells = truth_cells(STRUCTURE, Prior(), np.random.default_rng(1), link)
    rng = np.random.default_rng(1)
    drawn, *others = (draw_parameters(STRUCTURE, Prior(), rng) for _ in range(1 + 4))
    for y in product(*map(range, FAMILY.observed)):
        expected = 0.0
        for s in product(*map(range, FAMILY.hidden)):
            rows = [s[0], 3 * s[0] + s[1], s[1]]  # of each variable's parents' states
            tables = [others[y[parent]] if j == child else drawn for j in range(3)]
            p = [tables[j].observed[j][rows[j]][y[j]] for j in range(3)]
            expected += prod(p) * drawn.hidden[0][s[0]] * drawn.hidden[1][s[1]]
        assert cells[y] == pytest.approx(expected, rel=1e-12)
    alone = truth_cells(STRUCTURE, Prior(), np.random.default_rng(1))
    np.testing.assert_allclose(alone, cell_probabilities(STRUCTURE, drawn))


def test_cases_have_the_probabilities_of_the_cells():
    cells, n = np.array([[0.1, 0.0, 0.2], [0.3, 0.25, 0.15]]), 10_000
    cases = cases_of_cells(cells, n, np.random.default_rng(2))
    for y, p in np.ndenumerate(cells):
        assert abs((cases == y).all(axis=1).mean() - p) <= 4 * sqrt(p * (1 - p) / n)
    assert (cases_of_cells(cells, 7, np.random.default_rng(2)) == cases[:7]).all()


def test_picks_are_those_of_the_library():
    truth = {"name": "linked", "hidden": [2], "structure": "1-1-1", "link": [1, 2]}
    structures = [Structure.from_label(x, Family((2,), (2, 3, 2))) for x in ("0-0-0", "1-1-1")]
    how = {"sizes": [60, 500], "methods": ["bic", "reference"], "seed": 5, "prior": Prior(2.0)}
    rows = picks(truth, 3, structures, replicates=9, settings={"runs": 4}, **how)
    assert [(r["draw"], r["n"], r["method"]) for r in rows] == [
        (3, n, m) for n in (60, 500) for m in ("bic", "reference")
    ]
    rng = generator(5, "outside", "linked", 3)
    cells = truth_cells(structures[1], Prior(2.0), rng, (1, 2))
    cases = cases_of_cells(cells, 500, rng)
    for row in rows:
        first = cases[: row["n"]]
        how = {"seed": 5, "key": ("outside", "linked", 3), "alpha": 2.0}
        how |= {"runs": 4} if row["method"] == "reference" else {}
        scores = score_structures(first, structures, row["method"], **how)
        top = max(scores, key=lambda s: s.score)
        assert (row["top"], row["n_links"]) == (top.structure.label, top.structure.n_links)
        weights = [np.exp(s.score - top.score) for s in scores]
        assert row["top_probability"] == pytest.approx(1 / sum(weights))
        model = cell_probabilities(*estimate(first, top.structure, alpha=2.0, seed=5))
        loss = sum(p * log(p / q) for p, q in zip(cells.ravel(), model.ravel(), strict=True))
        assert row["lost_by_top"] == pytest.approx(loss)
        if row["method"] == "reference":
            assert row["p_value"] == fit(first, top.structure, replicates=9, seed=5).p_value
        else:
            assert np.isnan(row["p_value"])


def test_over_draws_by_hand():
    """Truths keep their order; a p-value of exactly 5 % rejects, which is the level of the test."""
    of_draws = {"top": ["1-1", "0-0", "1-1"], "n_links": [2, 0, 2], "lost_by_top": [0.1, 0.4, 0.4]}
    of_draws |= {"top_probability": [0.5, 0.9, 0.7], "p_value": [0.01, 0.05, 0.06]}
    reference = pd.DataFrame(of_draws).assign(draw=range(3), n=80, method="reference", truth="none")
    both = pd.concat([reference.assign(method="vb", p_value=nan), reference])
    table = outside(pd.concat([both, both.assign(truth="a link")]))
    assert list(table["truth"]) == ["none", "none", "a link", "a link"]
    row = {"draws": 3, "top": "1-1", "share": 2 / 3, "n_links": 4 / 3, "n_links_se": 2 / 3}
    row |= {"top_probability": 0.7, "top_probability_se": 0.2 / sqrt(3)}
    row |= {"lost_by_top": 0.3, "lost_by_top_se": 0.1}
    none = dict.fromkeys(("rejected", "low", "high"), nan)
    tested = dict(zip(none, share(2, 3), strict=True))
    expected = {"vb": row | none, "reference": row | tested}
    assert_rows(table.iloc[:2].set_index("method"), expected)


def test_the_picks_that_lose_least_and_most():
    """Of equals the first."""
    rows = [("b", "vb", 0.2), ("a", "bic", 0.3), ("b", "cs", 0.1), ("a", "vb", 0.1)]
    rows += [("a", "cs", 0.2), ("b", "bic", 0.1)]
    table = pd.DataFrame(rows, columns=["truth", "method", "lost_by_top"])
    ends = least_and_most_lost(table)
    methods = {truth: [row["method"] for row in of_truth] for truth, of_truth in ends.items()}
    assert methods == {"a": ["vb", "bic"], "b": ["cs", "vb"]}
