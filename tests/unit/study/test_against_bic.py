"""VB beside BIC as n grows, and how much of VB's error is ln M, against plain loops."""

from math import isnan, log, nan
from statistics import mean, median

import made_up
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE

from latentdag.study.one_draw import score_differences
from latentdag.study.one_draw.score_differences import relabellings_in_error

SCORES = made_up.scores(missing={("bic", 80), ("vb", 10240), ("reference", 480)})
COUNTED = made_up.with_copies(SCORES)


def of_draw(draw, table=SCORES):
    return table[table["draw"] == draw]


def gap(draw, n, structure, other):
    """VB minus the other score; None where either has no value."""
    at = {"draw": draw, "n": n, "structure": structure}
    a, b = (made_up.score_of(SCORES, **at, method=m) for m in ("vb", other))
    return None if a is None or b is None else a - b


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("other", ["bic", "cs"])
def test_by_size(draw, other):
    found = score_differences.difference_by_size(of_draw(draw), TRUE, other)
    assert found.index.tolist() == sorted(made_up.SIZES)
    for n, own in found.iterrows():
        values = {s: gap(draw, n, s, other) for s in STRUCTURES}
        known = [v for v in values.values() if v is not None]
        expected = [values[TRUE], median(known), min(known), max(known)]
        expected[0] = nan if expected[0] is None else expected[0]
        assert own[["true", "median", "lowest", "highest"]].tolist() == pytest.approx(
            expected, nan_ok=True
        )
    assert found["true"].isna().any() == (draw == 0)


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("other", ["bic", "cs"])
def test_growth_is_per_unit_of_ln_n_over_the_last_factor_of_eight(draw, other):
    own = of_draw(draw)
    assert score_differences.growth_window(own[own["n"] <= 1120], other) == (480, 1120)
    assert score_differences.growth_window(own[own["n"] <= 80], other) == (
        10,
        80,
    )  # the eighth itself
    assert (
        score_differences.growth_window(own, other) is None
        and score_differences.growth(own, other).empty
    )
    found = score_differences.growth(own[own["n"] <= 80], other)
    expected = {
        s: (gap(draw, 80, s, other) - gap(draw, 10, s, other)) / log(8)
        for s in STRUCTURES
        if None not in (gap(draw, 80, s, other), gap(draw, 10, s, other))
    }
    assert found.to_dict() == pytest.approx(expected)
    assert len(expected) == 6 - (draw == 0 and other == "bic")
    # what lies between the ends does not count
    assert score_differences.growth(own[own["n"].isin([10, 80])], other).equals(found)


def test_a_penalty_too_many_grows_by_a_half():
    """One more parameter that BIC pays for: (1/2) ln n."""
    sizes = (100, 200, 400, 1600, 3200)
    rows = [
        (0, n, s, m, v - k * log(n) / 2)
        for n in sizes
        for s, k in (("a", 1), ("b", 0), ("c", 3))
        for m, v, k in (("vb", 5.0, 0), ("bic", -7.0, k))
    ]
    table = pd.DataFrame(rows, columns=["draw", "n", "structure", "method", "score"])
    assert score_differences.growth_window(table) == (400, 3200)
    assert score_differences.growth(table).to_dict() == pytest.approx(
        {"a": 0.5, "b": 0.0, "c": 1.5}
    )


def test_without_both_there_is_nothing_to_say():
    for table in (SCORES[SCORES["method"] == "vb"], SCORES[SCORES["method"] != "vb"]):
        own = of_draw(1, table)
        assert (
            score_differences.difference_by_size(own, TRUE).empty
            and score_differences.growth(own).empty
        )
        assert score_differences.growth_window(own) is None
    assert score_differences.difference_by_size(of_draw(1), None)["true"].isna().all()


@pytest.mark.parametrize("draw", [0, 1])
def test_copies_by_size(draw):
    found = relabellings_in_error(of_draw(draw, COUNTED))
    fewer = 0
    for n in made_up.SIZES:
        own = []
        for s in STRUCTURES:
            at = {"draw": draw, "n": n, "structure": s}
            vb, reference = (made_up.score_of(COUNTED, **at, method=m) for m in ("vb", "reference"))
            counted = made_up.rows(COUNTED, **at, method="vb_lr")
            if counted and vb is not None and reference is not None:
                own.append((vb - reference, counted[0]["log_copies"]))
        row = found.loc[n]
        error, log_copies = (mean(values) for values in zip(*own, strict=True))
        assert row["structures"] == len(own)
        assert row[["error", "log_copies"]].tolist() == pytest.approx([error, log_copies])
        assert row["rest"] == pytest.approx(error + log_copies)
        assert row["share"] == pytest.approx(-log_copies / error)
        fewer += len(own) < len(STRUCTURES)
    assert fewer and len(found) == len(made_up.SIZES)


def test_copies_that_no_score_has_counted():
    own = of_draw(1)
    assert relabellings_in_error(own).empty  # no score that counts
    counted = of_draw(1, COUNTED)
    assert relabellings_in_error(counted[counted["method"] != "reference"]).empty
    exact = counted.assign(score=-1.0)  # no error to have a share in
    assert isnan(relabellings_in_error(exact)["share"].iloc[0])


BOUNDS = made_up.scores(
    methods=("vb", "vb_collapsed", "vb_mix", "reference", "bic"),
    missing={("vb_mix", 80), ("reference", 480)},
)


@pytest.mark.parametrize("draw", [0, 1])
def test_parts_of_the_gap(draw):
    found = score_differences.parts_of_gap(of_draw(draw, BOUNDS))
    fewer = 0
    for n in made_up.SIZES:
        steps = []
        for s in STRUCTURES:
            at = {"draw": draw, "n": n, "structure": s}
            values = [
                made_up.score_of(BOUNDS, **at, method=m)
                for m in ("vb", "vb_collapsed", "vb_mix", "reference")
            ]
            if None not in values:
                vb, collapsed, mix, reference = values
                steps.append((reference - vb, collapsed - vb, mix - collapsed, reference - mix))
        fewer += len(steps) < len(STRUCTURES)
        if not steps:
            assert n not in found.index
            continue
        row = found.loc[n]
        assert row["structures"] == len(steps)
        expected = [mean(values) for values in zip(*steps, strict=True)]
        assert row[["gap", "theta", "modes", "cases"]].tolist() == pytest.approx(expected)
    assert fewer or draw == 1  # none is missing there
    without = BOUNDS[(BOUNDS["draw"] == draw) & (BOUNDS["method"] != "vb_mix")]
    assert score_differences.parts_of_gap(without).empty
