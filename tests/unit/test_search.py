"""The search against enumeration."""

import numpy as np
import oracles
import pytest

from latentdag import (
    Family,
    Parameters,
    Structure,
    enumerate_structures,
    score_structures,
    search,
    simulate,
)
from latentdag.structure_search import neighbours

FAMILY = Family((2, 2), (2, 2, 2, 2))


@pytest.fixture(scope="module")
def cases() -> np.ndarray:
    rng = np.random.default_rng(11)
    true = Structure.from_label("1-1-12-2", FAMILY)
    return simulate(true, oracles.random_parameters(true, rng), 300, rng)[0]


def test_neighbours_are_one_move_away():
    found = {s.label for s in neighbours(Structure.from_label("1-1-0-2", FAMILY))}
    for label, move in {
        "12-1-0-2": "added",
        "1-0-0-2": "removed",
        "2-1-0-2": "led to another cause",
        "1-1-0-1": "joined",
    }.items():
        assert label in found, move
    assert "1-1-0-2" not in found  # every one differs
    assert "12-12-0-2" not in found and "1-1-12-2" not in found
    of_two = {s.label for s in neighbours(Structure.from_label("1-1-2-2", FAMILY))}
    assert "1-1-1-1" in of_two  # joined: two links change at once
    of_one_cause = {s.label for s in neighbours(Structure.from_label("1-1-1-0", FAMILY))}
    assert {"12-12-1-0", "2-2-1-0", "1-1-12-2"} <= of_one_cause  # beside, split off


def test_every_structure_can_be_reached():
    seen, new = set(), {Structure.from_label("0-0-0-0", FAMILY)}
    while new:
        seen |= new
        new = {n.canonical() for s in new for n in neighbours(s)} - seen
    assert seen == set(enumerate_structures(FAMILY))


def test_a_wide_beam_is_enumeration(cases):
    """Same scores, to the bit, each once."""
    found = search(cases, FAMILY, "bic", width=200, restarts=3, seed=5)
    everyone = enumerate_structures(FAMILY)
    scores = {
        s: own.score
        for s, own in zip(
            everyone, score_structures(cases, everyone, "bic", restarts=3, seed=5), strict=True
        )
    }
    assert len(found.ranking.scores) == len(everyone)
    assert {own.structure: own.score for own in found.ranking.scores} == scores


@pytest.mark.parametrize("method", ["bic", "laplace"])
def test_a_narrow_beam_finds_the_best_and_scores_fewer(cases, method):
    everyone = enumerate_structures(FAMILY)
    best = max(score_structures(cases, everyone, method, restarts=4), key=lambda own: own.score)
    found = search(cases, FAMILY, method, width=2, starts=0, restarts=4)
    assert found.best.score == best.score
    assert len(found.ranking.scores) < len(everyone)
    values = [own.score for own in found.ranking.scores]
    assert values == sorted(values, reverse=True)
    near = {n.canonical() for n in neighbours(found.best.structure)}
    assert near <= set(found.ranking.structures)  # all around the best was scored


def test_the_seed_is_that_of_scores_and_starts(cases):
    a, b, c = (search(cases, FAMILY, "bic", width=1, restarts=2, seed=s) for s in (1, 1, 2))
    assert a.ranking.scores == b.ranking.scores and a.rounds == b.rounds
    assert set(a.ranking.structures) != set(c.ranking.structures)


def test_more_variables_than_can_be_enumerated():
    """Two causes of three observed variables each: found, from one start."""
    family = Family((2, 2, 2), (2,) * 8)
    true = Structure.from_label("1-1-1-2-2-2-0-0", family)
    with pytest.raises(ValueError, match="at most 2"):
        enumerate_structures(family)
    with_cause, without = np.array([[0.85, 0.15], [0.15, 0.85]]), np.array([[0.5, 0.5]])
    observed = tuple(with_cause if parents else without for parents in true.parents)
    parameters = Parameters((np.array([0.5, 0.5]),) * 3, observed)
    cases, _ = simulate(true, parameters, 1000, np.random.default_rng(2))
    found = search(cases, family, "bic", width=1, starts=0, restarts=3)
    assert found.best.structure == true


@pytest.mark.parametrize(
    ("name", "value"), [("width", 0), ("starts", -1), ("seed", -1), ("width", 1.5)]
)
def test_wrong_arguments_are_named(cases, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        search(cases, FAMILY, **{name: value})
    with pytest.raises(ValueError, match="unknown prior 'flat'"):
        search(cases, FAMILY, prior="flat")
