"""Ranks of the true structure, by counting."""

from collections import Counter
from math import inf, isnan, nan

import made_up
import numpy as np
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE

from latentdag.engine.streams import generator
from latentdag.scores import METHODS
from latentdag.study.one_draw import ranks as of_ranks
from latentdag.study.one_draw import sizes
from latentdag.study.one_draw.ranks import ranks

SCORES = made_up.scores()
STRUCTURES_TABLE = made_up.structures_table()
TABLE = ranks(SCORES, TRUE, 2003, STRUCTURES_TABLE)


def table(values, method="vb", errors=None, true="t", seed=0):
    """The one row of the ranks of structures t, a, b, ... with these scores and standard errors."""
    labels = ["t", *"abcdefghijklmnopqrs"][: len(values)]
    errors = [nan] * len(values) if errors is None else errors
    each = zip(labels, values, errors, strict=True)
    rows = [(0, 80, s, method, v, e, i) for i, (s, v, e) in enumerate(each)]
    columns = ["draw", "n", "structure", "method", "score", "standard_error", "n_parameters"]
    each_alone = pd.DataFrame({"structure": labels, "class": labels})
    (row,) = ranks(pd.DataFrame(rows, columns=columns), true, seed, each_alone).to_dict("records")
    return row


@pytest.mark.parametrize(
    ("values", "rank"),
    [
        ((5.0, 4.0, 3.0), 1),
        ((4.0, 5.0, 3.0), 2),
        ((3.0, 5.0, 4.0), 3),
        ((5.0, 5.0, 5.0), 1),  # an equal score is not higher
        ((3.0, 5.0, 5.0, 3.0, 3.0), 3),  # two are, whichever others are equal
        ((-1e300, -1e301, 0.0), 2),
        ((3.0, nan, 4.0, nan), 2),  # who has no score comes last
        ((3.0, nan, nan), 1),
    ],
)
def test_a_rank_counts_the_strictly_higher_scores(values, rank):
    assert of_ranks.rank(np.array(values), 0) == rank
    row = table(values)
    assert (row["rank"], row["rank_low"], row["rank_high"]) == (rank, rank, rank)
    assert row["score_true"] == values[0]
    highest = max(v for v in values if not isnan(v))
    assert row["score_best"] == highest
    assert row["best_structure"] == ["t", "a", "b", "c", "d"][values.index(highest)]


def test_ranks_of_many_sets_of_scores_at_once():
    scores = np.array([[[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], [[2.0, 2.0, 1.0], [1.0, 1.0, 1.0]]])
    assert of_ranks.rank(scores, 1).tolist() == [[2, 2], [1, 1]]
    assert of_ranks.rank(scores, 2).tolist() == [[1, 3], [3, 1]]


def test_a_true_structure_without_a_score_has_no_rank():
    row = table((nan, 4.0, 5.0))
    assert all(isnan(row[c]) for c in ("rank", "rank_low", "rank_high", "score_true"))
    assert (row["best_structure"], row["score_best"]) == ("b", 5.0)
    row = table((nan, nan))
    assert row["best_structure"] == "" and isnan(row["score_best"])
    with pytest.raises(ValueError, match="^vb at n = 80 has no row for the structure z$"):
        table((1.0, 2.0), true="z")


def test_the_table_of_ranks_by_plain_counting():
    found = {(r["draw"], r["n"], r["method"]): r for r in made_up.rows(TABLE)}
    keys = {(r["draw"], r["n"], r["method"]) for r in made_up.rows(SCORES)}
    assert set(found) == keys and len(TABLE) == len(keys)
    ties = 0
    for (draw, n, method), row in found.items():
        own = {
            r["structure"]: r["score"] for r in made_up.rows(SCORES, draw=draw, n=n, method=method)
        }
        expected = made_up.plain_rank(SCORES, draw, n, method)
        assert row["rank"] == (None if expected == inf else expected)
        assert row["score_true"] == own[TRUE]
        best = max(v for v in own.values() if v is not None)
        first = min((s for s in own if own[s] == best), key=lambda s: (STRUCTURES[s], s))
        assert (row["best_structure"], row["score_best"]) == (first, best)
        ties += Counter(own.values())[own[TRUE]] > 1
    assert ties > 5  # so that ties are tested
    order = [(r["draw"], r["n"], METHODS.index(r["method"])) for r in made_up.rows(TABLE)]
    assert order == sorted(order)


def test_a_method_that_ran_on_some_structures_ranks_the_true_one_among_these():
    """As if the others were not in the table; beside a method that ran on all."""
    ordered = sorted(STRUCTURES, key=lambda s: (STRUCTURES[s], s))
    assert ordered.index(TRUE) > 1
    some = [TRUE, *(s for s in ordered[2::2] if s != TRUE)]
    noisy = SCORES[SCORES["method"] == "ais"]
    few = noisy[noisy["structure"].isin(some)]
    alone = ranks(few, TRUE, 2003, STRUCTURES_TABLE[STRUCTURES_TABLE["structure"].isin(some)])
    assert set(alone["rank"]) > {1}
    every = pd.concat([SCORES[SCORES["method"] == "reference"], few])
    found = ranks(every, TRUE, 2003, STRUCTURES_TABLE)
    found = found[found["method"] == "ais"].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, alone)


def test_the_ends_are_quantiles_of_the_ranks_of_redrawn_scores():
    ordered = sorted(STRUCTURES, key=lambda s: (STRUCTURES[s], s))
    noisy = made_up.rows(TABLE, method=lambda m: m in ("ais", "reference"))
    wider = 0
    for row in noisy:
        key = row["draw"], row["n"], row["method"]
        own = {
            r["structure"]: r for r in made_up.rows(SCORES, draw=key[0], n=key[1], method=key[2])
        }
        noise = generator(2003, "rank", *key).standard_normal((2000, len(ordered)))
        redrawn = []
        for z in noise.tolist():
            values = {
                s: own[s]["score"] + own[s]["standard_error"] * e
                for s, e in zip(ordered, z, strict=True)
            }
            redrawn.append(1 + sum(v > values[TRUE] for v in values.values()))
        redrawn.sort()
        low, high = redrawn[100], redrawn[1899]  # 0.05 and 0.95 of 1999, rounded
        assert row["rank_low"] == min(row["rank"], low)
        assert row["rank_high"] == max(row["rank"], high)
        wider += low < high
    assert wider > 10
    for row in made_up.rows(TABLE, method=lambda m: m not in ("ais", "reference")):
        assert row["rank"] == row["rank_low"] == row["rank_high"]


@pytest.mark.parametrize(
    ("values", "errors", "ends"),
    [
        ((0.0, 1.0), (1.0, 0.0), (1, 2)),  # first with probability 0.16
        ((0.0, 2.0), (1.0, 0.0), (2, 2)),  # with 0.02
        ((0.0, -1.0), (0.0, 1.0), (1, 2)),  # second with 0.16
        ((0.0, -2.0), (0.0, 1.0), (1, 1)),
        ((0.0, 2.0), (1.0, 1.0), (1, 2)),  # 0.08: errors add up
        ((0.0, 9.0, 9.0, -9.0), (1.0, 1.0, 1.0, 1.0), (3, 3)),
    ],
)
def test_the_ends_hold_nine_tenths_of_the_ranks(values, errors, ends):
    row = table(values, "ais", errors)
    assert (row["rank_low"], row["rank_high"]) == ends


def test_the_ends_hold_the_rank_itself():
    """Of twenty structures just below it, most pass the true one when all are redrawn."""
    row = table((0.0, *[-0.01] * 19), "ais", [1.0] * 20)
    assert row["rank"] == row["rank_low"] == 1 and row["rank_high"] > 15
    row = table((0.0, *[0.01] * 19), "ais", [1.0] * 20)
    assert row["rank"] == row["rank_high"] == 20 and row["rank_low"] < 5
    assert (TABLE["rank_low"] <= TABLE["rank"]).sum() == TABLE["rank"].notna().sum()
    assert (TABLE["rank_high"] >= TABLE["rank"]).sum() == TABLE["rank"].notna().sum()


def test_a_missing_standard_error_leaves_no_interval_unless_the_score_is_missing_too():
    assert table((0.0, 1.0), "ais", (1.0, nan))["rank_low"] == 2
    row = table((0.0, nan, 1.0), "ais", (1.0, nan, 0.0))
    assert (row["rank"], row["rank_low"], row["rank_high"]) == (2, 1, 2)


def test_intervals_come_from_the_seed_and_the_place_and_not_from_the_order_of_rows():
    again = ranks(SCORES.sample(frac=1, random_state=9), TRUE, 2003, STRUCTURES_TABLE)
    pd.testing.assert_frame_equal(again, TABLE)
    noisy = SCORES[(SCORES["method"] == "ais") & (SCORES["n"] == 80)]
    alone = ranks(noisy, TRUE, 2003, STRUCTURES_TABLE)
    pd.testing.assert_frame_equal(
        alone, TABLE[(TABLE["method"] == "ais") & (TABLE["n"] == 80)].reset_index(drop=True)
    )
    others = [table((0.0, 0.3, -0.3), "ais", (1, 1, 1), seed=s)["rank_high"] for s in range(3)]
    assert others == [3, 3, 3]


def test_each_draw_size_and_method_has_a_stream_of_its_own(monkeypatch):
    streams = []
    monkeypatch.setattr(of_ranks, "generator", lambda *key: streams.append(key) or generator(*key))
    ranks(SCORES, TRUE, 2003, STRUCTURES_TABLE)
    noisy = {(d, n, m) for d in (0, 1) for n in made_up.SIZES for m in ("ais", "reference")}
    assert sorted(streams) == sorted((2003, "rank", *key) for key in noisy)


def test_by_size_tells_no_rank_from_no_run():
    own = TABLE[TABLE["draw"] == 0]
    wide = of_ranks.rank_by_size(own)
    assert list(wide.columns) == [m for m in METHODS if m in made_up.METHODS]
    assert list(wide.index) == sorted(made_up.SIZES)
    for n in wide.index:
        for method in wide:
            expected = made_up.plain_rank(SCORES, 0, n, method)
            if expected is None:
                assert isnan(wide.loc[n, method])
            else:
                assert wide.loc[n, method] == expected
    assert wide.loc[80, "bic"] == inf and isnan(wide.loc[80, "exact"])
    low = of_ranks.rank_by_size(own, "rank_low")
    assert low.loc[480, "ais"] == made_up.rows(own, n=480, method="ais")[0]["rank_low"]


def test_found_for_good_means_at_every_larger_size_too():
    of_sizes = (10, 80, 400, 480, 1120, 2560)

    def found(*places, index=of_sizes):
        return sizes.found_for_good(pd.Series(places, index=index[: len(places)]))

    assert found(5, 1, 1) == 80
    assert found(1, 5, 1) == 400
    assert found(1, 1, 2) is None
    assert found(1, 1, 1) == 10
    assert found(1, 1, 5, index=(480, 1120, 10)) == 480  # whatever the order of the rows
    assert found(1, inf, 1) == 400  # where it has no rank it is not first


def test_first_found_is_the_smallest_size_at_which_it_is_first():
    assert sizes.first_found(pd.Series([1, 5, 1], index=[480, 10, 80])) == 80
    assert sizes.first_found(pd.Series([2, inf], index=[10, 80])) is None


def test_stays_above_is_strict_and_for_good():
    values = pd.Series([-9, -5, -9, -4, -3], index=[1, 2, 4, 8, 16])
    assert sizes.stays_above(values, -6) == 8
    assert sizes.stays_above(values[::-1], -6) == 8
    assert sizes.stays_above(pd.Series([-6.0], index=[1]), -6) is None
    assert sizes.stays_above(pd.Series([nan, 1.0], index=[2, 1]), 0) is None


def test_starts_are_those_of_methods_at_the_largest_size():
    rows = [("vb", 10, 3), ("vb", 80, 1), ("bic", 10, 1), ("exact", 10, 1), ("bic", 80, nan)]
    columns = ["method", "n", "rank"]
    found = sizes.sizes_for_good(pd.DataFrame(rows, columns=columns))
    assert found == {"bic": None, "vb": 80}
    # a size at which a method did not run says nothing
    rows = [("vb", 10, 3), ("vb", 80, 1), ("exact", 10, 1), ("exact", 80, 1), ("bic", 40, 2)]
    assert sizes.sizes_for_good(pd.DataFrame(rows, columns=columns)) == {"vb": 80, "exact": 10}


def test_beats_counts_sizes_that_both_have():
    a = pd.Series([1, 5, inf, 4, 2, inf], index=[10, 20, 30, 40, 50, 60])
    b = pd.Series([inf, 2, 3, 4, 1, 9], index=[60, 20, 30, 40, 70, 10])
    assert of_ranks.beats(a, b) == (1, 2, 2)
    assert of_ranks.beats(b, a) == (2, 1, 2)


def test_methods_are_compared_pair_by_pair():
    own = TABLE[(TABLE["draw"] == 1)]
    methods = ("ais", "vb", "bic")
    found = of_ranks.pairwise_wins(own, methods)
    assert list(found.index) == [("ais", "vb"), ("ais", "bic"), ("vb", "bic")]
    at = {(r["n"], r["method"]): r for r in made_up.rows(own)}
    for a, b in found.index:
        counts = Counter()
        for n in made_up.SIZES:
            x, y = at[n, a], at[n, b]
            counts["first"] += x["rank"] < y["rank"]
            counts["second"] += x["rank"] > y["rank"]
            counts["equal"] += x["rank"] == y["rank"]
            counts["surely_first"] += x["rank_high"] < y["rank_low"]
            counts["surely_second"] += y["rank_high"] < x["rank_low"]
        assert found.loc[(a, b)].to_dict() == {c: counts[c] for c in found}
    assert (found[["first", "second"]] > 0).any().all()
