"""Statistics over many draws, by hand and by plain loops."""

from itertools import permutations
from math import comb, inf, isnan, nan, sqrt
from statistics import median

import numpy as np
import pandas as pd
import pytest
from made_up import assert_rows, registered

from latentdag.study.many_draws.population import MEANS, population, share
from latentdag.study.many_draws.sizes_found import (
    cases_needed,
    comparisons,
    found_share,
    found_table,
)
from latentdag.study.schema.columns import TABLES

BY = ("class", "structure")


def quantile(values, level):
    """The smallest value that at least this share of the values does not exceed."""
    order = sorted(values)
    return next(v for v in order if sum(w <= v for w in order) >= level * len(order) - 1e-9)


def finite(value):
    return nan if value == inf else value


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
    found = population(pd.concat(parts))
    assert list(found) == list(TABLES["population"].columns)
    assert_rows(found.set_index(["n", "by", "method"]), expected)


@pytest.mark.parametrize(("count", "of"), [(0, 1), (1, 1), (0, 100), (7, 100), (100, 100), (3, 7)])
def test_a_share_and_its_wilson_interval(count, of):
    """The ends q are where (p - q)^2 = z^2 q (1 - q) / n (Wilson 1927)."""
    p, low, high = share(count, of)
    assert p == count / of and 0 <= low <= p <= high <= 1 and low < high
    for q in (low, high):
        if 0 < q < 1:
            squared = 1.959963984540054**2 * q * (1 - q) / of
            assert (p - q) ** 2 == pytest.approx(squared, rel=1e-9, abs=1e-15)
    assert (low > 0, high < 1) == (count > 0, count < of)
    assert all(isnan(value) for value in share(0, 0))


def test_the_sizes_from_which_the_truth_is_found():
    """Draw 2 has no size beyond 480; VB is first there at 80 for good, at 10 by chance."""
    table = [(5, 10240, 2), (5, 10, 1), (2, 480, 1), (2, 10, 1), (2, 80, 1), (2, 40, 3)]
    vb = pd.DataFrame(table, columns=["draw", "n", "rank"]).assign(by="structure", method="vb")
    early = vb[vb["n"] == 10].assign(method="exact")  # ran at no largest size
    bic = vb.assign(by="class", method="bic", rank=3 - vb["rank"])
    found = found_table(pd.concat([early, vb, bic]))
    assert list(found) == list(TABLES["found"].columns)
    expected = {
        (2, "class", "bic"): {"n_found": nan}, (2, "structure", "vb"): {"n_found": 80},
        (5, "class", "bic"): {"n_found": 10240}, (5, "structure", "vb"): {"n_found": nan},
    }  # fmt: skip
    assert_rows(found.set_index(["draw", "by", "method"]), expected)


def made_up_found(draws: int = 40, seed: int = 2) -> dict:
    """By draw, kind and method the size found, a third of them never; AIS in a few draws alone."""
    rng = np.random.default_rng(seed)
    return {
        (draw, by, m): rng.choice([10, 80, 480, 10240, inf, inf])
        for draw in rng.permutation(draws).tolist()
        for by in BY
        for m in ("vb", "bic", "reference", "ais")
        if m != "ais" or draw < 9
    }


FOUND = made_up_found()
FOUND_METHODS = registered(m for *_, m in FOUND)
FOUND_TABLE = pd.DataFrame(
    [(*key, finite(n)) for key, n in FOUND.items()], columns=TABLES["found"].columns
)
NEVER = FOUND_TABLE.assign(n_found=nan)


def test_the_share_that_is_found():
    expected = {}
    for n in (10, 80, 480):
        for by, m in ((by, m) for by in BY for m in FOUND_METHODS):
            sizes = [size for (_, b, k), size in FOUND.items() if (b, k) == (by, m)]
            ends = share(sum(size <= n for size in sizes), len(sizes))
            row = dict(zip(("share", "low", "high"), ends, strict=True))
            expected[n, by, m] = row | {"draws": len(sizes)}
    found = found_share(FOUND_TABLE, np.array([480, 10, 80]))
    assert list(found) == list(TABLES["found_share"].columns)
    assert_rows(found.set_index(["n", "by", "method"]), expected)


def both_sizes(by, method, other):
    """The sizes by two scores in the draws that have both."""
    pairs = (
        (n, FOUND.get((draw, by, other)))
        for (draw, b, m), n in FOUND.items()
        if (b, m) == (by, method)
    )
    return [pair for pair in pairs if None not in pair]


def median_interval(values):
    """The two order statistics between which the median lies with 95 % at least, by counting: it
    is below the k-th of N values when fewer than k of N fair coins show heads.
    """
    values, n = sorted(values), len(values)
    below = [sum(comb(n, i) for i in range(k)) / 2**n for k in range(1, n + 1)]
    k = sum(b <= 0.025 for b in below)
    return (values[k - 1], values[n - k]) if k else (nan, nan)


def test_every_column_of_the_comparisons():
    expected, pairs = {}, [*permutations(FOUND_METHODS, 2)]
    for by, a, b in ((by, *pair) for by in BY for pair in pairs):
        both = both_sizes(by, a, b)
        earlier, later = sum(x < y for x, y in both), sum(x > y for x, y in both)
        factors = [y / x for x, y in both if max(x, y) < inf]
        row = {"draws": len(both), "earlier": earlier, "later": later}
        row["same"] = sum(x == y < inf for x, y in both)
        row["undecided"] = sum(x == y == inf for x, y in both)
        ends = (*share(earlier, earlier + later), median(factors), *median_interval(factors))
        names = ("share_earlier", "low", "high", "factor", "factor_low", "factor_high")
        expected[by, a, b] = row | dict(zip(names, ends, strict=True))
    found = comparisons(FOUND_TABLE)
    assert list(found) == list(TABLES["comparisons"].columns)
    assert_rows(found.set_index(["by", "method", "other"]), expected)
    assert set(found["draws"]) == {9, 40} and 0 < found["factor_low"].isna().sum() < len(found)
    never = comparisons(NEVER)
    assert never["undecided"].equals(never["draws"])
    assert never[["share_earlier", "factor", "factor_low"]].isna().all(axis=None)


def test_every_column_of_the_cases_needed():
    expected = {}
    for by, m in ((by, m) for by in BY for m in FOUND_METHODS[:-1]):
        ratios = [n / known for n, known in both_sizes(by, m, "reference") if known < inf]
        row = {f"ratio_{q}": quantile(ratios, q / 100) for q in (10, 25, 50, 75, 90)}
        row |= zip(("ratio_50_low", "ratio_50_high"), median_interval(ratios), strict=True)
        row = {"draws": len(ratios)} | {name: finite(value) for name, value in row.items()}
        never = share(ratios.count(inf), len(ratios))
        expected[by, m] = row | dict(zip(("never", "never_low", "never_high"), never, strict=True))
    found = cases_needed(FOUND_TABLE)
    assert list(found) == list(TABLES["cases_needed"].columns)
    assert_rows(found.set_index(["by", "method"]), expected)
    assert found["ratio_90"].isna().any() and found["ratio_25"].notna().all()
    assert cases_needed(FOUND_TABLE[FOUND_TABLE["method"] != "reference"]).empty
    never = cases_needed(NEVER)
    assert (never["draws"] == 0).all() and never["never"].isna().all()
