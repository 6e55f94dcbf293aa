"""Differences between two scores, their growth, and the parts of VB's error, by plain loops."""

from math import inf, isnan, log, nan
from statistics import mean, median

import made_up
import pandas as pd
import pytest
from made_up import SIZES, TRUE, assert_rows, by_structure, of_draw

from latentdag.study.one_draw import score_differences as module
from latentdag.study.one_draw.ranks import ranks

BOUNDS = ("vb", "vb_collapsed", "vb_mix", "reference")
MADE_UP = made_up.scores(
    methods=(*BOUNDS, "bic", "bic_ml", "cs"),
    missing={("bic", 80), ("vb", 10240), ("reference", 480), ("vb_mix", 80)},
)
SCORES = made_up.with_copies(MADE_UP)
RANKS = ranks(MADE_UP, TRUE, 2003, made_up.structures_table())


def gaps(draw, n, a, b):
    """a - b by structure that has both."""
    first, second = (by_structure(SCORES, draw=draw, n=n, method=m) for m in (a, b))
    return {s: first[s] - second[s] for s in first if s in second}


@pytest.mark.parametrize("draw", [0, 1])
def test_ranks_by_two_variants_of_a_score(draw):
    expected = {}
    for n in sorted(SIZES):
        a, b = (made_up.plain_rank(SCORES, draw, n, m) for m in ("bic", "bic_ml"))
        if inf not in (a, b):  # where one has no rank there is no gap
            expected[n] = abs(a - b)
    own = of_draw(RANKS, draw)
    assert module.rank_gap(own, "bic", "bic_ml").to_dict() == expected
    found = module.rank_gaps(own, "bic", "bic_ml")
    largest = max(expected.values())
    assert found == {
        "sizes": 5 - (draw == 0),
        "differ": sum(g > 0 for g in expected.values()),
        "mean": pytest.approx(mean(expected.values())),
        "largest": largest,
        "at": next(n for n, g in expected.items() if g == largest),
    }
    assert module.rank_gaps(RANKS[:0], "vb", "cs") == {}


@pytest.mark.parametrize("draw", [0, 1])
def test_two_scores_of_every_structure_and_size(draw):
    close = (SCORES["method"] == "cs") & (SCORES["structure"] == "0-0-0") & (SCORES["n"] == 10)
    vb = made_up.score_of(SCORES, draw=draw, n=10, structure="0-0-0", method="vb")
    own = of_draw(SCORES.assign(score=SCORES["score"].mask(close, vb + 5e-6)), draw)
    expected = {(n, s): gap for n in SIZES for s, gap in gaps(draw, n, "vb", "cs").items()}
    expected[10, "0-0-0"] = -5e-6  # rounding is no crossing
    assert module.score_gap(own, "vb", "cs").to_dict() == pytest.approx(expected)
    values = expected.values()
    summary = {"number": len(expected), "median": median(values)}
    summary |= {"lowest": min(values), "highest": max(values)}
    summary["below"] = sum(g < -1e-5 for g in values)
    assert module.score_gaps(own, "vb", "cs") == pytest.approx(summary)
    assert module.score_gaps(own[own["method"] != "cs"], "vb", "cs") == {}


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("other", ["bic", "cs"])
def test_vb_minus_another_score_by_size(draw, other):
    expected = {}
    for n in sorted(SIZES):
        own = gaps(draw, n, "vb", other)
        row = {"true": own.get(TRUE), "median": median(own.values())}
        expected[n] = row | {"lowest": min(own.values()), "highest": max(own.values())}
    scores = of_draw(SCORES, draw)
    assert_rows(module.difference_by_size(scores, TRUE, other), expected)
    assert module.difference_by_size(scores, None, other)["true"].isna().all()
    assert module.difference_by_size(scores[scores["method"] == other], TRUE, other).empty


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("other", ["bic", "cs"])
def test_growth_is_per_unit_of_ln_n_over_the_last_factor_of_eight(draw, other):
    """From 10 to 80, which is the eighth itself; what lies between does not count."""
    every = of_draw(SCORES, draw)
    assert module.growth_window(every[every["n"] <= 1120], other) == (480, 1120)
    assert module.growth_window(every, other) is None and module.growth(every, other).empty
    assert module.growth_in_short(every, TRUE, other) == {}
    own = every[every["n"] <= 80]
    between = own[own["n"] == 80].assign(n=40, score=0.0)
    own = pd.concat([own, between])
    first, last = (gaps(draw, n, "vb", other) for n in (10, 80))
    expected = {s: (last[s] - first[s]) / log(8) for s in last if s in first}
    assert module.growth_window(own, other) == (10, 80)
    assert module.growth(own, other).to_dict() == pytest.approx(expected)
    found, values = module.growth_in_short(own, TRUE, other), expected.values()
    assert (found["first"], found["last"]) == (10, 80)
    assert found["true"] == pytest.approx(expected.get(TRUE, nan), nan_ok=True)
    ends = {"median": median(values), "lowest": min(values), "highest": max(values)}
    assert {name: found[name] for name in ends} == pytest.approx(ends)
    assert expected[found["slowest"]] == pytest.approx(min(values))
    assert expected[found["fastest"]] == pytest.approx(max(values))
    assert isnan(module.growth_in_short(own, None, other)["true"])


def means(draw, columns, plain):
    """By size the means of some numbers over the structures that have all of them."""
    for n in sorted(SIZES):
        of_structures = [row for row in plain(draw, n) if None not in row]
        if of_structures:
            values = (mean(column) for column in zip(*of_structures, strict=True))
            row = dict(zip(columns, values, strict=True))
            yield n, row | {"structures": len(of_structures)}


def plain_errors(draw, n):
    """VB minus reference and ln M of each structure."""
    error = gaps(draw, n, "vb", "reference")
    copies = by_structure(SCORES, "log_copies", draw=draw, n=n, method="vb_lr")
    return [(error.get(s), copies.get(s)) for s in made_up.STRUCTURES]


@pytest.mark.parametrize("draw", [0, 1])
def test_how_much_of_vbs_error_is_the_number_of_copies(draw):
    expected = dict(means(draw, ("error", "log_copies"), plain_errors))
    for row in expected.values():
        row["rest"] = row["error"] + row["log_copies"]
        row["share"] = -row["log_copies"] / row["error"]
    assert {row["structures"] for row in expected.values()} > {6}
    own = of_draw(SCORES, draw)
    assert_rows(module.relabellings_in_error(own), expected)
    for m in ("vb_lr", "reference"):
        assert module.relabellings_in_error(own[own["method"] != m]).empty
    right = module.relabellings_in_error(own.assign(score=-1.0))
    assert right["share"].isna().all()  # no error to have a share in


def plain_parts(draw, n):
    """Reference minus VB of each structure, and from each of the bounds to the next."""
    scores = [by_structure(SCORES, draw=draw, n=n, method=m) for m in BOUNDS]
    for s in made_up.STRUCTURES:
        if all(s in of_method for of_method in scores):
            vb, collapsed, mix, reference = (of_method[s] for of_method in scores)
            yield reference - vb, collapsed - vb, mix - collapsed, reference - mix


@pytest.mark.parametrize("draw", [0, 1])
def test_parts_of_the_gap(draw):
    expected = dict(means(draw, ("gap", "theta", "modes", "cases"), plain_parts))
    assert ({row["structures"] for row in expected.values()} == {5, 6}) == (draw == 0)
    own = of_draw(SCORES, draw)
    assert_rows(module.parts_of_gap(own), expected)
    assert module.parts_of_gap(own[own["method"] != "vb_mix"]).empty
