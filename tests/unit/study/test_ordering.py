"""Nearness to the evidence by three measures, against plain loops."""

from math import isnan, nan

import made_up
import pandas as pd
import pytest
from scipy.stats import spearmanr

from latentdag.scores import METHODS
from latentdag.study.one_draw import distances
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema.columns import TABLES

SCORES = made_up.scores()
RANKS = ranks(SCORES, made_up.TRUE, 2003, made_up.structures_table())
JUDGED = ["bic", "cs", "bic_ml", "vb", "ais", "exact"]


def of_draw(table, draw=0):
    return table[table["draw"] == draw]


def test_distance_of_ranks_from_the_references_interval():
    found = distances.rank_distance(of_draw(RANKS))
    assert list(found) == [m for m in METHODS if m in JUDGED]
    inside = outside = 0
    for n in found.index:
        (known,) = made_up.rows(RANKS, draw=0, n=n, method="reference")
        for m in found:
            rank = made_up.plain_rank(SCORES, 0, n, m)
            if rank is None:
                assert isnan(found.loc[n, m])
            elif rank < known["rank_low"]:
                assert found.loc[n, m] == known["rank_low"] - rank
            elif rank > known["rank_high"]:
                assert found.loc[n, m] == rank - known["rank_high"]
                outside += 1
            else:
                assert found.loc[n, m] == 0
                inside += 1
    assert inside > 3 and outside > 3
    low = RANKS.assign(rank_low=3.0, rank=4.0, rank_high=5.0)
    shifted = pd.concat(
        [
            low[(low["method"] == "reference") & (low["draw"] == 1)],
            RANKS[(RANKS["method"] == "vb") & (RANKS["draw"] == 1)].assign(rank=1.0),
        ]
    )
    assert (distances.rank_distance(shifted)["vb"] == 2).all()


def test_order_of_all_structures_is_spearmans_correlation():
    found = distances.order_correlation(of_draw(SCORES))
    assert list(found) == [m for m in METHODS if m in JUDGED]
    assert sorted(found.index) == sorted(made_up.SIZES)
    for n in found.index:
        at = {"draw": 0, "n": n}
        known = {r["structure"]: r["score"] for r in made_up.rows(SCORES, **at, method="reference")}
        for m in found:
            own = {
                r["structure"]: r["score"]
                for r in made_up.rows(SCORES, **at, method=m)
                if r["score"] is not None
            }
            if not own:
                assert isnan(found.loc[n, m])
                continue
            expected = spearmanr(list(own.values()), [known[s] for s in own]).statistic
            assert found.loc[n, m] == pytest.approx(expected, nan_ok=True)


def test_what_is_constant_or_alone_has_no_order():
    rows = [
        (0, 80, s, m, v)
        for s, r, v in (("a", 1.0, 5.0), ("b", 2.0, 5.0))
        for m, v in (("reference", r), ("vb", v), ("bic", -r))
    ]
    rows += [(0, 10, "a", m, 1.0) for m in ("reference", "vb", "bic")]
    table = pd.DataFrame(rows, columns=["draw", "n", "structure", "method", "score"])
    found = distances.order_correlation(table)
    assert found.index.tolist() == [80]
    assert found.loc[80, "bic"] == pytest.approx(-1) and isnan(found.loc[80, "vb"])


def test_measures_are_distances_of_one_draw():
    own = [of_draw(t, 1) for t in (errors(SCORES), RANKS, SCORES)]
    found = distances.measures(*own)
    assert list(found) == list(distances.MEASURES)
    by_error, by_rank, by_order = found.values()
    assert by_rank.equals(distances.rank_distance(own[1]))
    assert by_order.equals(1 - distances.order_correlation(own[2]))
    values = [abs(r["error_nats"]) for r in made_up.rows(own[0], n=80, method="ais")]
    assert by_error.loc[80, "ais"] == pytest.approx(sum(values) / len(values))
    empty = [pd.DataFrame(columns=TABLES[t].columns) for t in ("errors", "ranks", "scores")]
    assert all(table.empty for table in distances.measures(*empty).values())


def test_an_order_is_kept_with_ties_at_sizes_where_all_are_known():
    by_score = pd.DataFrame(
        {"a": [1.0, 2.0, 3.0, 1.0], "b": [1.0, 3.0, 2.0, nan], "c": [2.0, 3.0, 4.0, 5.0]},
        index=[10, 20, 30, 40],
    )
    found = distances.in_this_order(by_score, ["a", "b", "c"])
    assert found.to_dict() == {10: True, 20: True, 30: False}
    assert distances.in_this_order(by_score, ["c", "a"]).tolist() == [False] * 4
    assert distances.in_this_order(by_score, ["a", "d"]).empty
