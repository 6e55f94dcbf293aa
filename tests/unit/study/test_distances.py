"""Nearness of scores to the evidence by three measures, and what limits VB, against plain loops."""

from math import inf, nan

import made_up
import pandas as pd
import pytest
from made_up import SIZES, TRUE, assert_rows, by_structure, named, of_draw
from scipy.stats import spearmanr

from latentdag.study.one_draw import distances
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.paper.findings import extremes_over_sizes

SCORES = made_up.scores()
ERRORS = errors(SCORES)
RANKS = ranks(SCORES, TRUE, 2003, made_up.structures_table())
JUDGED = made_up.registered(("bic", "cs", "bic_ml", "vb", "ais", "exact"))


@pytest.mark.parametrize("draw", [0, 1])
def test_the_three_measures(draw):
    ranking, order, error = ({n: dict.fromkeys(JUDGED) for n in sorted(SIZES)} for _ in range(3))
    for n, m in ((n, m) for n in SIZES for m in JUDGED):
        at = {"draw": draw, "n": n}
        (known,) = made_up.rows(RANKS, **at, method="reference")
        evidence, own = (by_structure(SCORES, **at, method=k) for k in ("reference", m))
        if own:
            place = made_up.plain_rank(SCORES, **at, method=m)
            low, high = known["rank_low"], known["rank_high"]
            ranking[n][m] = low - place if place < low else max(place - high, 0)
            error[n][m] = sum(abs(own[s] - evidence[s]) for s in own) / len(own)
            order[n][m] = 1 - spearmanr([*own.values()], [evidence[s] for s in own]).statistic
    tables = [of_draw(table, draw) for table in (ERRORS, RANKS, SCORES)]
    found = distances.measures(*tables)
    assert list(found) == list(distances.MEASURES)
    for frame, expected in zip(found.values(), (error, ranking, order), strict=True):
        assert list(frame) == JUDGED
        assert_rows(frame, expected)
    ends = extremes_over_sizes(tables[0], tables[2])
    assert list(ends.index) == JUDGED
    for m, row in ends.drop("exact").iterrows():
        gaps, orders = [by_n[m] for by_n in error.values()], [1 - v[m] for v in order.values()]
        values = [min(gaps), max(gaps), min(orders), max(orders)]
        assert row.tolist() == pytest.approx(values)


def test_a_measure_needs_its_table_and_an_order_two_structures_that_differ():
    """A rank that is better than the reference's interval is as far from it as one below."""
    own = of_draw(RANKS, 1)
    reference = own[own["method"] == "reference"].assign(rank_low=3.0, rank=4.0, rank_high=5.0)
    vb = own[own["method"] == "vb"].assign(rank=1.0)
    assert (distances.rank_distance(pd.concat([reference, vb]))["vb"] == 2).all()
    rows = [
        (0, 80, s, m, v)
        for s, r, v in (("a", 1.0, 5.0), ("b", 2.0, 5.0))
        for m, v in (("reference", r), ("vb", v), ("bic", -r))
    ]
    rows += [(0, 10, "a", m, 1.0) for m in ("reference", "vb", "bic")]
    table = pd.DataFrame(rows, columns=["draw", "n", "structure", "method", "score"])
    assert_rows(distances.order_correlation(table), {80: {"bic": -1, "vb": nan}})
    empty = (table.iloc[:0] for table in (ERRORS, RANKS, SCORES))
    assert all(frame.empty for frame in distances.measures(*empty).values())


def test_an_order_is_kept_with_ties_at_sizes_where_all_are_known():
    frame = pd.DataFrame(
        {"a": [1.0, 2.0, 3.0, 1.0], "b": [1.0, 3.0, 2.0, nan], "c": [2.0, 3.0, 4.0, 5.0]},
        index=[10, 20, 30, 40],
    )
    both = {"x": frame, "y": frame[["a"]], "z": frame.iloc[:0]}
    assert distances.sizes_in_order(both, ["a", "b", "c"]) == {"x": (2, 3, [30])}
    assert distances.nearer(both, "a", "b") == {"x": (1, 1, 1, [20])}


@pytest.mark.parametrize(("sampling", "third"), [(True, "ais"), (False, "vb")])
def test_the_nearest_score_of_each_size(sampling, third):
    """The first of those equally near; never the evidence."""
    frame = pd.DataFrame(
        {"bic": [2.0, nan, nan, 1.0], "vb": [2.0, nan, 3.0, nan], "ais": [nan, nan, 1.0, nan]}
        | {m: [0.0] * 4 for m in ("exact", "reference")}
    )
    assert distances.nearest(frame, sampling).tolist() == ["bic", "", third, "bic"]


def test_the_data_or_the_bound_limit_vb():
    limits = {
        10: (3, 1, 4, inf, distances.PERHAPS),
        40: (5, 4, 6, 1, distances.NOTHING),
        80: (1, 1, 1, 1, distances.NOTHING),
        110: (5, 4, 6, 6, distances.DATA),
        160: (5, 4, 6, 7, distances.BOTH),
        230: (1, 1, 2, 2, distances.UNDECIDED),
        320: (3, 1, 4, 9, distances.PERHAPS),
        480: (1, 1, 1, 2, distances.BOUND),
    }
    rows = [(20, "vb", 1, 1, 1)]
    for n, (*reference, vb, _) in limits.items():
        rows += [(n, "reference", *reference), (n, "vb", *[nan if vb == inf else vb] * 3)]
    ranks = pd.DataFrame(rows, columns=["n", "method", "rank", "rank_low", "rank_high"])
    found = distances.vb_limits(ranks)
    assert_rows(found, named(("rank", "low", "high", "vb", "limited_by"), limits))
    of_each: dict[str, list[int]] = {}
    for n, (*_, what) in limits.items():
        of_each.setdefault(what, []).append(n)
    assert distances.sizes_by_limit(found) == of_each
    assert distances.vb_limits(ranks[ranks["method"] == "vb"]).empty
