"""The scores of all structures at one size, against plain loops."""

from math import hypot, inf, isnan, nan

import made_up
import pandas as pd
import pytest
from made_up import STRUCTURES, TRUE, assert_rows, by_structure
from scipy.stats import spearmanr

from latentdag.study.one_draw import at_one_size

SCORES = made_up.scores()


def scores_at(draw, n):
    return SCORES[(SCORES["draw"] == draw) & (SCORES["n"] == n)]


@pytest.mark.parametrize(("draw", "n"), [(0, 80), (0, 480), (1, 10)])
def test_the_best_structure_by_each_score(draw, n):
    at_n, expected = scores_at(draw, n), {}
    for m in made_up.registered(at_n["method"]):
        scores = by_structure(at_n, method=m)
        errors = dict.fromkeys(STRUCTURES, nan) | by_structure(at_n, "standard_error", method=m)
        best, second, *_ = sorted(scores, key=scores.get, reverse=True)  # of equals the first
        row = {"best": best, "score": scores[best], "standard_error": errors[best]}
        row |= {"lead": scores[best] - scores[second]}
        row |= {"lead_error": hypot(errors[best], errors[second])}
        row |= {"rank": inf, "behind": nan, "behind_error": nan}
        if TRUE in scores:
            row["rank"] = made_up.plain_rank(SCORES, draw, n, m)
            row["behind"] = scores[best] - scores[TRUE]
            row["behind_error"] = nan if best == TRUE else hypot(errors[best], errors[TRUE])
        expected[m] = row
    assert_rows(at_one_size.best_structures(at_n, TRUE), expected)
    without = at_one_size.best_structures(at_n)
    assert without[["rank", "behind", "behind_error"]].isna().all(axis=None)
    alone = at_n[at_n["structure"] == TRUE]
    assert at_one_size.best_structures(alone)["lead"].isna().all()


def test_a_gap_counts_as_below_beyond_two_standard_errors():
    rows = [("a", -1.0, 0.4), ("b", -3.0, 0.4), ("c", -2.5, 0.4), ("d", -2.0, nan)]
    rows += [("e", -2.1, nan), ("f", nan, nan)]
    table = [(s, "ais", v, e) for s, v, e in rows] + [(s, "vb", -2.0, 9.0) for s, *_ in rows]
    columns = ["structure", "method", "score", "standard_error"]
    found = at_one_size.gap_between(pd.DataFrame(table, columns=columns), "ais", "vb")
    assert found["gap"].tolist() == pytest.approx([1.0, -1.0, -0.5, 0.0, -0.1])
    assert found["beyond"].tolist() == [False, True, False, False, True]


@pytest.mark.parametrize("method", ["map", "bic", "ais"])
def test_trend_with_the_number_of_parameters(method):
    at_n = scores_at(0, 80)
    own = by_structure(at_n, method=method)
    expected = spearmanr([*own.values()], [STRUCTURES[s] for s in own]).statistic
    assert at_one_size.parameter_trend(at_n, method) == pytest.approx(expected)
    assert isnan(at_one_size.parameter_trend(at_n[at_n["structure"] == TRUE], method))
