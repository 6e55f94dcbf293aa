"""Differences between two scores, their growth, and the parts of VB's error, by hand."""

from math import isnan, log, nan
from statistics import fmean

import pandas as pd
import pytest
from made_up import assert_rows

from latentdag.study.one_draw import score_differences as module

# of structures a, b and c, by method and size: VB - BIC is 9, 9, 9 at 5 cases, 1, -1, -6 at 10, and
# 0.5, -1 at 80
VALUES = {
    "bic": {80: (-20.5, -29.0, nan), 5: (-9, -9, -9), 10: (-6.0, -6.0, -6.0)},
    "vb": {80: (-20.0, -30.0, -25.0), 5: (0, 0, 0), 10: (-5.0, -7.0, -12.0), 40: (0.0,)},
}
SCORES = pd.DataFrame(
    [
        (0, n, s, method, value)
        for method, by_size in VALUES.items()
        for n, values in by_size.items()
        for s, value in zip("abc", values, strict=False)
    ],
    columns=["draw", "n", "structure", "method", "score"],
)


def test_two_variants_of_a_score():
    """Where one has no rank, or did not run, there is no gap; rounding is no error."""
    places = {"bic": (3, 1, nan, 5, 2), "bic_ml": (1, 1, 4, 6, 2)}
    sizes = (80, 10, 20, 480, 40)
    rows = [(n, m, r) for m in places for n, r in zip(sizes, places[m], strict=True)]
    ranks = pd.DataFrame([*rows, (5, "bic", 1)], columns=["n", "method", "rank"])
    summary = {"sizes": 4, "differ": 2, "mean": 0.75, "largest": 2, "at": 80}
    assert module.rank_gaps(ranks, "bic", "bic_ml") == summary
    assert module.rank_gaps(ranks, "bic", "vb") == {}
    known = SCORES[SCORES["n"] > 5]
    summary = {"number": 5, "median": -1, "lowest": -6, "highest": 1, "below": 3}
    assert module.score_gaps(known, "vb", "bic") == summary
    rounding = known.assign(score=known["score"].where(known["method"] == "bic", -6 - 5e-6))
    assert module.score_gaps(rounding[rounding["n"] == 10], "vb", "bic")["below"] == 0
    assert module.score_gaps(known, "vb", "cs") == {}


def test_growth_is_per_unit_of_ln_n_over_the_last_factor_of_eight():
    """From 10 to 80, which is the eighth itself; what lies before or between does not count."""
    assert module.growth(SCORES).to_dict() == pytest.approx({"a": -0.5 / log(8), "b": 0.0})
    found = module.growth_in_short(SCORES, "a", "bic")
    assert (found.pop("slowest"), found.pop("fastest")) == ("a", "b")
    ends = {"lowest": -0.5 / log(8), "highest": 0.0, "median": -0.25 / log(8)}
    assert found == pytest.approx({"first": 10, "last": 80, "true": ends["lowest"]} | ends)
    assert isnan(module.growth_in_short(SCORES, "c", "bic")["true"])
    for few in (SCORES[SCORES["n"] != 10], SCORES[SCORES["method"] == "vb"]):
        own = few[few["n"] != 40]
        assert module.growth_window(own) is None and module.growth(own).empty
        assert module.growth_in_short(own, "a", "bic") == {}


def test_parts_of_the_gap():
    """Means over the structures that have all four; none has at 80 cases."""
    scores = {"vb": (-9.0, -8.0, -7.0), "vb_collapsed": (-6.0, -7.0, -1.0)}
    scores |= {"vb_mix": (-5.0, -5.0, nan), "reference": (-1.0, -4.5, -0.5)}
    rows = [(10, s, m, v) for m, own in scores.items() for s, v in zip("abc", own, strict=True)]
    rows += [(80, "a", m, nan) for m in scores]
    table = pd.DataFrame(rows, columns=["n", "structure", "method", "score"])
    expected = {"gap": fmean((8, 3.5)), "theta": fmean((3, 1)), "modes": fmean((1, 2))}
    expected |= {"cases": fmean((4, 0.5)), "structures": 2}
    assert_rows(module.parts_of_gap(table), {10: expected})
