"""Statistics over many draws, by plain loops over made-up verdicts."""

from math import comb, inf, isnan, nan, sqrt
from statistics import mean, stdev

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from latentdag.scores import METHODS
from latentdag.study.many_draws.population import FEW, MEANS, QUANTILES, population, share
from latentdag.study.many_draws.sizes_found import (
    cases_needed,
    comparisons,
    found_share,
    found_table,
)
from latentdag.study.schema.columns import TABLES

SIZES = (480, 10, 10240, 80)
SCORES = ("vb", "map", "reference", "bic", "exact")


def made_up_verdicts(draws: int = 23, seed: int = 1) -> pd.DataFrame:
    """Verdicts in no order, with ties and ranks that are missing; the means differ in how often
    they are. ``exact`` ran at the smallest size alone, and VB in two thirds of the draws.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for draw in rng.permutation(draws):
        for n in SIZES:
            for by in ("structure", "class"):
                for m in SCORES:
                    if (m == "exact" and n != 10) or (m == "vb" and draw % 3 == 0):
                        continue
                    rank = float(rng.geometric(0.2 + 0.13 * np.log10(n)))
                    values = {name: rng.normal() * n for name in (*MEANS, "top_probability")}
                    lost = {name: nan for name in values if rng.random() < 0.2}
                    rank = nan if m == "bic" and rng.random() < 0.3 else rank
                    rows.append({"draw": draw, "n": n, "by": by, "method": m, "rank": rank})
                    rows[-1] |= values | lost
    return pd.DataFrame(rows).reindex(columns=TABLES["verdicts"].columns)


VERDICTS = made_up_verdicts()
ROWS = VERDICTS.to_dict("records")


def in_order(keys):
    """Sorted, methods as in the registry."""
    return sorted(keys, key=lambda key: [METHODS.index(k) if k in METHODS else k for k in key])


def same(value, right, where):
    if isinstance(right, str):
        assert value == right, where
    else:
        assert value == pytest.approx(right, rel=1e-12, abs=1e-12, nan_ok=True), where


def quantile(values, percent):
    """The smallest value that is not exceeded in so many percent of the cases."""
    for value in sorted(values):
        if 100 * sum(v <= value for v in values) >= percent * len(values):
            return nan if value == inf else value
    raise AssertionError


def test_every_column_of_the_population_by_plain_loops():
    table = population(VERDICTS)
    assert list(table.columns) == list(TABLES["population"].columns)
    keys = [(r["n"], r["by"], r["method"]) for r in ROWS]
    assert list(zip(table["n"], table["by"], table["method"], strict=True)) == in_order(set(keys))
    beyond = 0
    for row in table.to_dict("records"):
        own = [r for r in ROWS if all(r[k] == row[k] for k in ("n", "by", "method"))]
        ranks = [inf if isnan(r["rank"]) else r["rank"] for r in own]
        right = {"draws": len(own), "n": row["n"], "by": row["by"], "method": row["method"]}
        for q in (10, 25, 50, 75, 90):
            right[f"rank_{q}"] = quantile(ranks, q)
            beyond += isnan(right[f"rank_{q}"])
        for name, most in (("first", 1), ("in_five", 5)):
            k = sum(r <= most for r in ranks)
            ends = binomtest(k, len(own)).proportion_ci(method="wilson")
            right |= {name: k / len(own), f"{name}_low": ends.low, f"{name}_high": ends.high}
        for name in MEANS:
            values = [r[name] for r in own if not isnan(r[name])]
            right |= {name: mean(values), f"{name}_se": stdev(values) / sqrt(len(values))}
        tops = [r["top_probability"] for r in own if not isnan(r["top_probability"])]
        right["expected_first"] = mean(tops)
        assert right.keys() == set(table.columns)
        for name, value in right.items():
            same(row[name], value, (name, row))
    assert beyond > 0 and FEW == 5 and QUANTILES == (10, 25, 50, 75, 90)


def test_one_draw_has_a_mean_and_no_error():
    one = population(VERDICTS[VERDICTS["draw"] == 1])
    assert set(one["draws"]) == {1} and one["regret_se"].isna().all()
    assert one["regret"].notna().any()


@pytest.mark.parametrize(("count", "of"), [(0, 1), (1, 1), (0, 100), (7, 100), (100, 100), (3, 7)])
def test_a_share_and_its_wilson_interval(count, of):
    value, low, high = share(count, of)
    assert value == count / of
    p, z2 = count / of, 1.959963984540054**2  # Wilson 1927: where (p - q)^2 = z^2 q (1 - q) / n
    for q in (low, high):
        if 0 < q < 1:
            assert (p - q) ** 2 == pytest.approx(z2 * q * (1 - q) / of, rel=1e-9, abs=1e-15)
    assert 0 <= low <= p <= high <= 1 and low < high
    assert (low > 0, high < 1) == (count > 0, count < of)


def test_no_share_of_nothing():
    assert all(isnan(value) for value in share(0, 0))


def plain_found(draw, by, method):
    """The first of the sizes at and after which all ranks are 1; inf if there is none."""
    ranks = {
        r["n"]: r["rank"] for r in ROWS if (r["draw"], r["by"], r["method"]) == (draw, by, method)
    }
    good = [n for n in ranks if all(ranks[m] == 1 for m in ranks if m >= n)]
    return min(good, default=inf)


def test_the_sizes_from_which_the_truth_is_found_by_plain_loops():
    table = found_table(VERDICTS)
    keys = {(r["draw"], r["by"], r["method"]) for r in ROWS if r["method"] != "exact"}
    assert list(table.columns) == ["draw", "by", "method", "n_found"]
    assert [tuple(row) for row in table.to_numpy()[:, :3]] == in_order(keys)
    sizes = table["n_found"].fillna(inf)
    for (draw, by, method, _), size in zip(table.to_numpy(), sizes, strict=True):
        assert size == plain_found(draw, by, method)
    assert {*sizes} == {*SIZES, inf}


def test_each_draw_has_a_largest_size_of_its_own():
    """Draw 2 has no size beyond 480; VB is first there at 80 for good, at 10 by chance."""
    rows = [(2, 480, 1), (2, 10, 1), (2, 80, 1), (2, 40, 3), (5, 10240, 2), (5, 10, 1)]
    rows = [(d, n, "structure", "vb", r) for d, n, r in rows]
    verdicts = pd.DataFrame(rows, columns=["draw", "n", "by", "method", "rank"])
    early = verdicts[verdicts["n"] == 10].assign(method="exact")  # ran at no largest size
    found = found_table(pd.concat([early, verdicts]))
    assert found["draw"].tolist() == [2, 5] and set(found["method"]) == {"vb"}
    assert found["n_found"].fillna(inf).tolist() == [80, inf]


def test_the_share_that_is_found_by_plain_loops():
    sizes = found_table(VERDICTS)
    table = found_share(sizes, VERDICTS["n"].unique())
    assert list(table.columns) == list(TABLES["found_share"].columns)
    keys = {(n, by, m) for n in SIZES for by in ("structure", "class") for m in SCORES}
    keys = {key for key in keys if key[2] != "exact"}
    assert [tuple(row) for row in table.to_numpy()[:, :3]] == in_order(keys)
    for row in table.to_dict("records"):
        draws = {r["draw"] for r in ROWS if r["method"] == row["method"]}
        count = sum(plain_found(d, row["by"], row["method"]) <= row["n"] for d in draws)
        assert row["draws"] == len(draws) == (15 if row["method"] == "vb" else 23)
        for name, value in zip(("share", "low", "high"), share(count, len(draws)), strict=True):
            same(row[name], value, row)


def plain_interval(values):
    """The two order statistics between which the median lies with 95 % at least, by counting: it
    is below the k-th of N values when fewer than k of N fair coins show heads.
    """
    values, n = sorted(values), len(values)
    below = [sum(comb(n, i) for i in range(k)) / 2**n for k in range(1, n + 1)]
    k = sum(b <= 0.025 for b in below)
    return (values[k - 1], values[n - k]) if k else (nan, nan)


def made_up_found(draws: int = 40, seed: int = 2) -> pd.DataFrame:
    """Sizes found, a third of them never; AIS in a few draws alone."""
    rng = np.random.default_rng(seed)
    rows = [
        (draw, by, m, rng.choice([10, 80, 480, 10240, nan, nan]))
        for draw in rng.permutation(draws)
        for by in ("structure", "class")
        for m in ("vb", "bic", "reference", "ais")
        if m != "ais" or draw < 9
    ]
    return pd.DataFrame(rows, columns=TABLES["found"].columns)


def test_every_column_of_the_comparisons_by_plain_loops():
    sizes = made_up_found()
    of = {(d, by, m): inf if isnan(n) else n for d, by, m, n in sizes.to_numpy()}
    table = comparisons(sizes)
    assert list(table.columns) == list(TABLES["comparisons"].columns)
    pairs = [
        (by, a, b)
        for by in ("class", "structure")
        for a in ("bic", "vb", "ais", "reference")
        for b in ("bic", "vb", "ais", "reference")
        if a != b
    ]
    assert [tuple(row) for row in table.to_numpy()[:, :3]] == pairs
    for row in table.to_dict("records"):
        both = [
            (of[d, row["by"], row["method"]], of[d, row["by"], row["other"]])
            for d in range(40)
            if (d, row["by"], row["method"]) in of and (d, row["by"], row["other"]) in of
        ]
        right = {
            "draws": len(both),
            "earlier": sum(a < b for a, b in both),
            "later": sum(b < a for a, b in both),
            "same": sum(a == b < inf for a, b in both),
            "undecided": sum(a == b == inf for a, b in both),
        }
        ends = share(right["earlier"], right["earlier"] + right["later"])
        right |= dict(zip(("share_earlier", "low", "high"), ends, strict=True))
        factors = [b / a for a, b in both if max(a, b) < inf]
        right["factor"] = np.median(factors)
        right["factor_low"], right["factor_high"] = plain_interval(factors)
        for name, value in right.items():
            same(row[name], value, (name, row))
    few = table[table["factor_low"].isna()]
    assert 0 < len(few) < len(table) and set(table["draws"]) == {9, 40}


def nearest_rank(values, percent):
    """The smallest value that at least so many percent of the values do not exceed."""
    return next(
        v for v in sorted(values) if 100 * sum(w <= v for w in values) >= percent * len(values)
    )


def test_every_column_of_the_cases_needed_by_plain_loops():
    sizes = made_up_found()
    of = {(d, by, m): inf if isnan(n) else n for d, by, m, n in sizes.to_numpy()}
    table = cases_needed(sizes)
    assert list(table.columns) == list(TABLES["cases_needed"].columns)
    names = [(by, m) for by in ("class", "structure") for m in ("bic", "vb", "ais")]
    assert [tuple(row) for row in table.to_numpy()[:, :2]] == names
    for row in table.to_dict("records"):
        ratios = [
            of[d, row["by"], row["method"]] / of[d, row["by"], "reference"]
            for d in range(40)
            if (d, row["by"], row["method"]) in of and of[d, row["by"], "reference"] < inf
        ]
        right = {"draws": len(ratios)}
        right |= {f"ratio_{q}": nearest_rank(ratios, q) for q in (10, 25, 50, 75, 90)}
        finite = [min(r, 1e9) for r in ratios]
        ends = plain_interval(finite)
        right |= dict(zip(("ratio_50_low", "ratio_50_high"), ends, strict=True))
        right |= dict(
            zip(("never", "never_low", "never_high"), share(ratios.count(inf), len(ratios)),
                strict=True)
        )  # fmt: skip
        for name, value in right.items():
            same(row[name], nan if value in (inf, 1e9) else value, (name, row))
    assert table["ratio_90"].isna().any() and table["ratio_25"].notna().all()
    assert cases_needed(sizes[sizes["method"] != "reference"]).empty
    never = sizes.assign(n_found=nan)
    assert (cases_needed(never)["draws"] == 0).all() and cases_needed(never)["never"].isna().all()


def test_scores_that_are_never_found_in_one_draw_have_no_factor():
    rows = [(d, "structure", m, nan if m == "vb" else 80.0) for d in (0, 1) for m in ("vb", "bic")]
    table = comparisons(pd.DataFrame(rows, columns=TABLES["found"].columns)).set_index("method")
    assert table.loc["bic", "earlier"] == table.loc["vb", "later"] == 2
    assert table["factor"].isna().all() and table.loc["vb", "share_earlier"] == 0
    never = pd.DataFrame(rows, columns=TABLES["found"].columns).assign(n_found=nan)
    assert (comparisons(never)["undecided"] == 2).all()
    assert comparisons(never)["share_earlier"].isna().all()
