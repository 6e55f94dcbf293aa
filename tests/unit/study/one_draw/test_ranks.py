"""Ranks of the true structure and of its class, by counting, and sizes from which it is first."""

from collections import Counter
from math import exp, inf, isnan, log, nan

import made_up
import pandas as pd
import pytest
from made_up import CLASSES, IN_ORDER, TRUE, assert_rows, by_structure

from latentdag.engine.streams import generator
from latentdag.scores import SPECS
from latentdag.study.one_draw import sizes
from latentdag.study.one_draw.ranks import median_ranks, rank_by_size, ranks

SCORES = made_up.scores_with_gaps()
STRUCTURES = made_up.structures_table()
RANKS = ranks(SCORES, TRUE, 2003, STRUCTURES)
NOISY = ("ais", "reference")


def log_sums(scores):
    """By class ln of the sum of exp(score) over its members."""
    sums = {}
    for c in ("0-0-0", "1-1-2", "12-12-12"):
        values = [v for s, v in scores.items() if CLASSES[s] == c]
        if values:
            sums[c] = max(values) + log(sum(exp(v - max(values)) for v in values))
    return sums


def place(scores, item):
    """1 + the number of scores that are higher but for rounding; None where it has none."""
    higher = sum(v > scores[item] + 1e-9 for v in scores.values()) if item in scores else 0
    return 1 + higher if item in scores else None


def redrawn(key, scores, errors):
    """The scores of the structures, redrawn from the stream of this draw, size and method."""
    for z in generator(2003, "rank", *key).standard_normal((2000, 6)).tolist():
        noise = dict(zip(IN_ORDER, z, strict=True))
        yield {s: v + errors[s] * noise[s] for s, v in scores.items()}


def test_the_table_of_ranks():
    """The ends are the 100th and the 1900th of 2000 ranks redrawn, and hold the rank itself."""
    expected, ties, deep = {}, 0, 0
    for key in made_up.ran():
        at = dict(zip(("draw", "n", "method"), key, strict=True))
        scores, errors = (by_structure(SCORES, c, **at) for c in ("score", "standard_error"))
        masses = log_sums(scores) if SPECS[key[2]].posterior else {}
        row = {"score_true": scores.get(TRUE)}
        row["best_structure"] = max(scores, key=scores.get, default="")
        row["score_best"] = max(scores.values(), default=None)
        rounded = {c: round(v, 9) for c, v in masses.items()}
        row["best_class"] = max(rounded, key=rounded.get, default="")
        row["class_probability"] = None
        if "1-1-2" in masses:
            gaps = [v - masses["1-1-2"] for v in masses.values()]
            deep += max(gaps) > 800
            row["class_probability"] = 1 / sum(map(exp, gaps)) if max(gaps) < 700 else 0.0
        of_draws = [*redrawn(key, scores, errors)] if key[2] in NOISY else []
        of_class = ("class_rank", masses, "1-1-2", log_sums)
        for name, values, item, sums in (("rank", scores, TRUE, dict), of_class):
            row[name] = row[f"{name}_low"] = row[f"{name}_high"] = place(values, item)
            if row[name] and of_draws:
                places = sorted(place(sums(scores), item) for scores in of_draws)
                row[f"{name}_low"] = min(row[name], places[100])
                row[f"{name}_high"] = max(row[name], places[1899])
        expected[key] = row
        ties += Counter(scores.values())[scores.get(TRUE)] > 1
    assert_rows(RANKS.set_index(["draw", "n", "method"]), expected)
    noisy = RANKS[RANKS["method"].isin(NOISY)]
    assert ties > 5 and deep == 1
    assert (noisy["rank_low"] < noisy["rank_high"]).sum() > 10
    assert (noisy["class_rank_low"] < noisy["class_rank_high"]).sum() > 5


@pytest.mark.parametrize(("gap", "end", "held"), [(0.1, "rank_low", 1), (-0.1, "rank_high", 41)])
def test_the_ends_hold_the_rank_that_hardly_any_redrawn_score_has(gap, end, held):
    """Of 41 structures that differ by less than their errors, each is first, and last, in 1 of 41
    redrawn rankings, which is less than 5 %.
    """
    names = [f"s{k}" for k in range(41)]
    about = {"draw": 0, "n": 80, "method": "ais", "n_parameters": 9, "standard_error": 5.0}
    values = [gap, *[0.0] * 40]
    scores = pd.DataFrame({"structure": names, "score": values}).assign(**about)
    structures = pd.DataFrame({"structure": names, "class": names})
    row = ranks(scores, "s0", 7, structures).iloc[0]
    assert row["rank"] == row[end] == held
    assert row["rank_high"] - row["rank_low"] > 30


def test_a_sampled_rank_without_an_error_has_no_ends():
    """Where one structure lacks an error, at one size; the others and scores without sampling keep
    their ends. Where the truth has no score it is unranked, and not without ends."""
    lacking = (SCORES["method"] == "ais") & (SCORES["n"] == 480) & (SCORES["structure"] != TRUE)
    bare = SCORES.assign(standard_error=SCORES["standard_error"].mask(lacking))
    table, ends = ranks(bare, TRUE, 2003, STRUCTURES), ["rank_low", "rank_high"]
    ends += [f"class_{end}" for end in ends]
    at = (table["method"] == "ais") & (table["n"] == 480)
    assert table.loc[at, ["rank", "class_rank"]].notna().all(axis=None) and at.sum() == 2
    assert table.loc[at, ends].isna().all(axis=None)
    pd.testing.assert_frame_equal(table[~at], RANKS[~at])
    pd.testing.assert_frame_equal(table.drop(columns=ends), RANKS.drop(columns=ends))

    rows = [(10, "ais", 1.0, nan, nan), (10, "vb", 5.0, 5.0, 5.0), (10, "bic", 3.0, 3.0, 3.0)]
    rows += [(80, m, nan, nan, nan) for m in ("ais", "vb", "bic")]
    few = pd.DataFrame(rows, columns=["n", "method", "rank", "rank_low", "rank_high"])
    assert isnan(rank_by_size(few, "rank_low").loc[10, "ais"])
    assert rank_by_size(few, "rank_high").loc[80, "ais"] == inf


def test_a_method_that_ran_on_some_structures_ranks_the_true_one_among_these():
    """As if the others were not in the table; beside a method that ran on all."""
    some = ["0-1-1", TRUE, "12-12-12"]
    few = SCORES[(SCORES["method"] == "ais") & SCORES["structure"].isin(some)]
    alone = ranks(few, TRUE, 2003, STRUCTURES[STRUCTURES["structure"].isin(some)])
    every = pd.concat([SCORES[SCORES["method"] == "reference"], few])
    beside = ranks(every, TRUE, 2003, STRUCTURES).query("method == 'ais'").reset_index(drop=True)
    assert set(alone["rank"].dropna()) > {1}
    pd.testing.assert_frame_equal(beside, alone)


def test_the_nearest_size_is_that_by_ratio():
    """Of two as near the smaller."""
    assert [sizes.nearest_size((160, 30), n) for n in (60, 69, 70)] == [30, 30, 160]
    assert sizes.nearest_size((320, 20, 80), 160) == 80


def test_the_first_size_and_that_for_good_whatever_the_order_of_the_rows():
    assert sizes.for_good(pd.Series([True, True, False], index=[480, 1120, 10])) == 480
    assert sizes.for_good(pd.Series([True, False, True], index=[480, 80, 10])) == 480
    assert sizes.first_recovery(pd.Series([1, 5, 1], index=[480, 10, 80])) == 80


def test_median_ranks_are_of_the_smaller_sizes():
    """An infinite rank has its place among the others."""
    places = {"vb": (9, 3, 4, 1, 1), "bic": (inf, inf, 7, 2, 2)}
    rows = [
        (0, n, method, rank)
        for method, by_size in places.items()
        for n, rank in zip((20, 40, 80, 480, 1120), by_size, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["draw", "n", "method", "rank"]).sample(
        frac=1, random_state=1
    )
    assert median_ranks(table, below=480).to_dict() == {"vb": 4, "bic": inf}
    assert median_ranks(table, below=481).to_dict() == {"vb": 3.5, "bic": inf}
