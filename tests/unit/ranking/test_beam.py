"""The search against enumeration."""

from collections import Counter
from itertools import count

import numpy as np
import oracles
import pytest

from latentdag import Family, Parameters, Structure, enumerate_structures, simulate
from latentdag.ranking.beam import beginnings, climb, neighbours, search_families
from latentdag.ranking.prior import log_prior
from latentdag.ranking.rank import rank_structures
from latentdag.scores import Score, score_structures

FAMILY = Family((2, 2), (2, 2, 2, 2))


@pytest.fixture(scope="module")
def cases() -> np.ndarray:
    rng = np.random.default_rng(11)
    true = Structure.from_label("1-1-12-2", FAMILY)
    return simulate(true, oracles.random_parameters(true, rng), 300, rng)[0]


def labels_near(label: str, family: Family) -> set[str]:
    return {s.canonical().label for s in neighbours(Structure.from_label(label, family))}


@pytest.mark.parametrize(
    ("label", "hidden", "near", "far"),
    [
        # a link added, removed, led to another cause; two causes joined; every one differs
        (
            "1-1-0-2", (2, 2), ("12-1-0-2", "1-0-0-2", "1-2-0-2", "1-1-0-1"),
            ("1-1-0-2", "12-12-0-2", "1-1-12-2"),
        ),
        ("1-1-2-2", (2, 2), ("1-1-1-1",), ()),  # joined: two links change at once
        ("1-1-1-0", (2, 2), ("12-12-1-0", "1-1-2-0", "1-1-12-2"), ()),  # beside, split off
        # causes of two and of three states change places, those of as many do not
        ("1-1-1-1", (2, 3), ("2-2-2-2",), ()),
        ("1-1-2-12", (2, 3), ("2-2-1-12",), ()),
        # a child of the split cause keeps its other causes: 1-1-3-23-2, renamed
        ("1-1-1-12-2", (2, 2, 2), ("1-1-2-23-3",), ()),
    ],
)  # fmt: skip
def test_neighbours_are_one_move_away(label, hidden, near, far):
    labels = labels_near(label, Family(hidden, (2,) * (label.count("-") + 1)))
    assert set(near) <= labels and labels.isdisjoint(far)


@pytest.mark.parametrize(("children", "parts"), [(6, {1: 6, 2: 15, 3: 10}), (7, {1: 7, 2: 21})])
def test_a_split_divides_six_children_in_every_way_and_more_in_pairs(children, parts):
    """A single one is led to the other cause. Of six, 3 and 3 are 10 ways."""
    near = labels_near("-".join("1" * children), Family((2, 2), (2,) * children))
    of_two_causes = [s for s in near if "0" not in s and "12" not in s and "2" in s]
    assert Counter(min(s.count("1"), s.count("2")) for s in of_two_causes) == parts


def test_idle_causes_of_as_many_states_are_tried_once():
    few, many = (Family((2,) * k, (2,) * 6) for k in (2, 6))
    one_cause = ((0,), (0,), (0,), (), (), ())
    numbers = [len(list(neighbours(Structure(one_cause, family)))) for family in (few, many)]
    assert numbers[0] == numbers[1]


def test_a_wide_beam_is_enumeration(cases):
    """Same scores, to the bit, each once."""
    how = {"restarts": 3, "seed": 5}
    ranking = rank_structures(cases, [FAMILY], "bic", search=200, prior="families", **how)
    scores = score_structures(cases, enumerate_structures(FAMILY), "bic", **how)
    assert len(ranking.scores) == len(scores) and ranking.prior == "families"
    assert {s.structure: s.score for s in ranking.scores} == {s.structure: s.score for s in scores}
    (reached,) = search_families(cases, [FAMILY], "bic", restarts=1, stop=lambda: True)
    assert reached.rounds == 1 and len(reached.scores) == 2  # the starts


def test_a_search_stops_within_a_round(cases, monkeypatch):
    """While it lists neighbours or scores them; what is scored by then has the same score."""
    monkeypatch.setattr("latentdag.ranking.beam.AT_ONCE", 1)
    (whole,) = search_families(cases, [FAMILY], "bic", restarts=1)
    scores = {s.structure: s.score for s in whole.scores}
    numbers = set()
    for most in range(0, 140, 14):
        calls = count(1)
        how = {"restarts": 1, "stop": lambda calls=calls, most=most: next(calls) > most}
        (part,) = search_families(cases, [FAMILY], "bic", **how)
        assert next(calls) <= most + 3
        assert {s.structure: s.score for s in part.scores}.items() <= scores.items()
        numbers.add(len(part.scores))
    assert len(numbers) > 4 and max(numbers) < len(scores)


@pytest.mark.parametrize("method", ["bic", "laplace"])
def test_a_narrow_beam_finds_the_best_and_scores_fewer(cases, method):
    everyone = enumerate_structures(FAMILY)
    best = max(score_structures(cases, everyone, method, restarts=4), key=lambda s: s.score)
    ranking = rank_structures(cases, [FAMILY], method, search=2, restarts=4)
    assert max(s.score for s in ranking.scores) == best.score
    assert len(ranking.scores) < len(everyone)
    of_all = log_prior(ranking.structures, [FAMILY], "classes")
    assert ranking.log_prior.tolist() == of_all.tolist()  # scored or not
    assert (np.diff(ranking.weights) <= 0).all()
    near = {n.canonical() for n in neighbours(best.structure)}
    assert near <= set(ranking.structures)  # all around the best was scored


def beam(values: dict[Structure, float], starts: list[Structure], width: int):
    """The scores that `climb` reaches where these are the values, the best first."""
    rounds = []

    def scores(new: list[Structure]) -> list[Score]:
        rounds.append(list(new))
        return [Score(s, values[s]) for s in new]

    assert climb(scores, starts, width)[1] == len(rounds)
    reached = [s for new in rounds for s in new]
    assert len(set(reached)) == len(reached)  # each once
    return sorted((values[s] for s in reached), reverse=True)


def test_one_start_more_is_never_worse_and_a_wider_beam_seldom():
    everyone = enumerate_structures(Family((2, 2, 2), (2, 2, 2, 2)))
    rng = np.random.default_rng(3)
    more, wider = [], []
    for _ in range(40):
        values = dict(zip(everyone, rng.normal(size=len(everyone)), strict=True))
        starts = [everyone[i] for i in rng.integers(len(everyone), size=4)]
        one, wide = (beam(values, starts[-1:], width) for width in (1, 5))
        assert set(beam(values, starts, 5)) >= set(wide)
        more.append(beam(values, starts, 1)[0] - one[0])
        wider.append(wide[0] - one[0])
    assert min(more) == 0 and max(more) > 0
    assert np.mean(np.greater_equal(wider, 0)) > 0.9 and np.mean(wider) > 0.1


@pytest.mark.parametrize("width", [1, 3])
def test_a_beam_scores_the_neighbours_of_its_best_alone(width):
    everyone = enumerate_structures(FAMILY)
    rng = np.random.default_rng(4)
    for start in rng.choice(len(everyone), size=10):
        values = dict(zip(everyone, rng.normal(size=len(everyone)), strict=True))
        reached, left = {everyone[start]}, set()
        while near := set(sorted(reached, key=values.get)[-width:]) - left:
            left |= near
            reached |= {n.canonical() for s in near for n in neighbours(s)}
        of_reached = sorted((values[s] for s in reached), reverse=True)
        assert beam(values, [everyone[start]], width) == of_reached


def test_a_structure_without_a_score_leads_nowhere():
    everyone = enumerate_structures(FAMILY)
    values = {s: -np.inf if s.n_links == 1 else float(-s.n_links) for s in everyone}
    without = {s: np.nan if np.isinf(v) else v for s, v in values.items()}
    assert len(beam(without, everyone[:1], 1)) == len(beam(values, everyone[:1], 1))


def test_starts_are_those_promised():
    family = Family((2, 2, 3), (2,) * 5)
    empty, one_cause, *drawn = beginnings(family, 40, np.random.default_rng(0))
    assert (empty.label, one_cause.label) == ("0-0-0-0-0", "1-1-1-1-1") and len(drawn) == 40
    assert {parents for s in drawn for parents in s.parents} == {(0,), (1,), (2,)}
    assert [s.label for s in beginnings(Family((), (2, 2)), 3, np.random.default_rng(0))] == ["0-0"]


def test_the_seed_is_that_of_scores_and_starts(cases):
    family = Family((2, 2, 2), FAMILY.observed)
    how = {"width": 1, "starts": 2, "restarts": 2}
    a, b, c = (search_families(cases, [family], "bic", seed=s, **how)[0] for s in (1, 1, 2))
    assert a == b
    assert {s.structure for s in a.scores} != {s.structure for s in c.scores}


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
    ranking = rank_structures(cases, [family], "bic", search=1, restarts=3)
    assert ranking.structures[0] == true


@pytest.mark.parametrize(
    ("name", "value"), [("width", 0), ("starts", -1), ("seed", -1), ("width", 1.5)]
)
def test_wrong_arguments_are_named(cases, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        search_families(cases, [FAMILY], "laplace", **{name: value})
