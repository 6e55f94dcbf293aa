"""The scores of all structures at one size, against plain loops."""

from math import inf

import made_up
import pytest
from made_up import IN_ORDER, STRUCTURES, TRUE, assert_rows, by_structure

from latentdag.study.one_draw import at_one_size

SCORES = made_up.scores()


def scores_at(draw, n):
    return SCORES[(SCORES["draw"] == draw) & (SCORES["n"] == n)]


def test_without_a_truth_there_is_no_rank():
    found = at_one_size.best_structures(scores_at(0, 80))
    assert found[["rank", "behind", "behind_error"]].isna().all(axis=None)


@pytest.mark.parametrize("guide", ["vb", "bic"])
def test_structures_side_by_side(guide):
    structures = made_up.structures_table().sample(frac=1, random_state=8)
    at_n = scores_at(0, 80).dropna(subset="score")
    scores, errors, best, about, true = at_one_size.all_scores(at_n, structures, guide)
    for column, frame in (("score", scores), ("standard_error", errors)):
        known = {m: by_structure(at_n, column, method=m) for m in frame}
        assert_rows(frame, {s: {m: known[m].get(s) for m in frame} for s in IN_ORDER})
    assert scores["bic"].isna().sum() == 1 and true == TRUE
    first = {m: max(own := by_structure(at_n, method=m), key=own.get) for m in scores}
    assert best.to_dict() == first  # of equals the first
    guided, expected = dict.fromkeys(STRUCTURES, inf) | by_structure(at_n, method=guide), {}
    for s, d in ((s, STRUCTURES[s]) for s in IN_ORDER):
        alike = sorted((guided[o], o) for o in STRUCTURES if STRUCTURES[o] == d)
        place = alike.index((guided[s], s))
        expected[s] = {"n_parameters": d, "aside": place - (len(alike) - 1) / 2}
    assert_rows(about, expected)
    unknown = structures.assign(is_true=False)
    assert at_one_size.all_scores(at_n, unknown, guide)[-1] is None
