"""Which structures a study keeps of those that a search finds, against plain sums."""

from math import exp, nan

import numpy as np
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.scores import score_structures
from latentdag.scores.base import Score
from latentdag.search.beam import SearchResult
from latentdag.search.ranking import Ranking
from latentdag.search.structure_prior import log_prior, number_of_structures
from latentdag.study.own_data import searched as module

OBSERVED = (2, 3, 2)


def of(label, hidden):
    return Structure.from_label(label, Family(hidden, OBSERVED))


@pytest.fixture
def found(monkeypatch):
    """What `searched` makes of made-up scores, by family and label; and what it asked for."""

    def found(by_family, prior="structures", keep=99):
        asked = []

        def search(cases, family, method, **settings):
            asked.append((cases, family.hidden, method, settings))
            own = by_family[family.hidden].items()
            scores = tuple(Score(of(label, family.hidden), value) for label, value in own)
            return SearchResult(Ranking(scores, settings["prior"]), rounds=len(asked) + 3)

        monkeypatch.setattr(module, "search", search)
        families = [Family(hidden, OBSERVED) for hidden in by_family]
        result = module.searched("cases", families, prior, "bic", keep, width=4, seed=7)
        return *result, asked

    return found


def test_as_many_as_hold_nearly_all_are_kept(found):
    """exp(-4), exp(-8) and exp(-12) of the best: the first two others are needed for 99.9 %."""
    scores = {"1-1-1": -3.0, "0-0-0": -15.0, "0-1-1": -7.0, "1-1-2": -11.0, "1-2-1": nan}
    structures, (row,), asked = found({(2, 2): scores})
    # sorted as the table of structures: by parameters
    assert [s.label for s in structures] == ["0-1-1", "1-1-1"]
    total = sum(exp(-k) for k in (0, 4, 8, 12))
    assert 1 / total < 0.999 < (1 + exp(-4)) / total
    assert row == {
        "hidden": "2,2",
        "method": "bic",
        "rounds": 4,
        "scored": 5,
        "kept": 2,
        "probability": pytest.approx((1 + exp(-4)) / total),
    }
    settings = {"prior": "structures", "width": 4, "seed": 7}
    assert asked == [("cases", (2, 2), "bic", settings)]


def test_no_more_are_kept_than_allowed(found):
    scores = {"1-1-1": -3.0, "0-1-1": -3.5, "1-1-0": -4.0}
    structures, (row,), _ = found({(2,): scores}, keep=2)
    assert [s.label for s in structures] == ["0-1-1", "1-1-1"]
    assert row["probability"] == pytest.approx(1 - exp(-1) / (1 + exp(-0.5) + exp(-1)))


def test_a_model_of_two_families_is_scored_once(found):
    """In the first of them, without its childless variable; causes sorted by their states."""
    by_family = {
        (2,): {"1-1-1": -3.0, "0-0-0": -4.0},
        (3, 2): {"2-2-2": -3.0, "1-1-1": -3.2, "1-12-2": -3.4, "0-0-0": -4.0},
    }
    structures, rows, _ = found(by_family)
    assert set(structures) == {
        *(of("1-1-1", (2,)), of("0-0-0", ()), of("1-1-1", (3,))),
        of("2-12-1", (2, 3)),
    }
    assert [row["hidden"] for row in rows] == ["2", "3,2"]
    assert [row["rounds"] for row in rows] == [4, 5]
    assert [row["scored"] for row in rows] == [row["kept"] for row in rows] == [2, 2]
    weights = [exp(0) + exp(-1), exp(-0.2) + exp(-0.4)]
    assert [row["probability"] for row in rows] == pytest.approx(
        [w / sum(weights) for w in weights]
    )


@pytest.mark.parametrize("prior", ["families", "classes"])
def test_the_prior_is_that_over_all_structures(found, prior):
    """Not over those found: one of the few structures with one cause has more of it."""
    scores = {"1-1-1": -9.0, "1-1-2": -3.0, "1-2-1": -3.1, "0-0-0": -9.5}
    structures, (row,), _ = found({(2, 2): scores}, prior, keep=2)
    own = [of(label, (2, 2)) for label in scores]
    values = log_prior(own, [Family((2, 2), OBSERVED)], prior)
    worth = {s.label: v + p for s, v, p in zip(own, scores.values(), values, strict=True)}
    kept = sorted(worth, key=worth.get)[-2:]
    assert {s.label for s in structures} == set(kept)
    total = sum(map(exp, worth.values()))
    assert row["probability"] == pytest.approx(sum(exp(worth[s]) for s in kept) / total)


def test_a_search_with_the_scores_of_a_study():
    """A wide one of a small family sees every structure: the kept are the best of all."""
    rng = np.random.default_rng(3)
    state = rng.random(60) < 0.4
    cases = (rng.random((60, 3)) < np.where(state, 0.9, 0.2)[:, None]).astype(int)
    family = Family((2, 2), (2, 2, 2))
    settings = {"alpha": 0.7, "alpha_hidden": 1.6, "seed": 7, "restarts": 4, "hits": 2}
    structures, (row,) = module.searched(
        cases, [family], "structures", "laplace", 5, width=36, starts=0, **settings
    )
    everyone = enumerate_structures(family)
    scores = score_structures(cases, everyone, "laplace", **settings)
    assert row["scored"] == number_of_structures([family]) == len(everyone)
    best = sorted(scores, key=lambda s: -s.score)[:5]
    assert {s.label for s in structures} == {s.structure.label for s in best}
