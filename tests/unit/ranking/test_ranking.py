"""Structures of several families counted, against all of them listed, and ranked together, against
sums written out.
"""

from collections import Counter
from math import exp, fsum, inf, isnan, nan

import numpy as np
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.ranking.names import causes_in_words
from latentdag.ranking.prior import (
    PRIORS,
    class_of,
    log_prior,
    model_of,
    number_of_classes,
    number_of_structures,
)
from latentdag.ranking.rank import all_structures, rank_structures
from latentdag.ranking.ranking import Ranking, probable_links
from latentdag.scores import Score

CASES = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
ONE, THREE, TWO = (Family(hidden, (2, 2, 2)) for hidden in ((2,), (3,), (2, 2)))


@pytest.fixture(scope="module")
def exact() -> Ranking:
    """By the evidence itself."""
    return rank_structures(CASES, [TWO, THREE, ONE], "exact", prior="structures")


def test_classes_are_sums_over_their_members(exact):
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    classes = exact.classes().set_index("class")
    assert classes["probability"].sum() == pytest.approx(1)
    assert classes["members"].sum() == len(p)
    private = Structure.from_label("1-0-0", ONE)  # absorbed: no cause
    of_none = fsum(p[s] for s in p if class_of(s).n_links == 0)
    assert classes["probability"]["0-0-0 (none)"] == pytest.approx(of_none) and of_none > p[private]
    for table in (exact.causes(), exact.pairs(), classes):
        assert table["probability"].is_monotonic_decreasing


def test_links_are_shares_of_the_structures_with_these_causes(exact):
    """Of one cause no name has to be matched: p(link) is a sum."""
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    links = exact.links()
    links = links[links["states"] == "2"].set_index("variable")["probability"]
    with_one = {s: p[s] for s in p if class_of(s).family.hidden == (2,)}
    for j in range(3):
        share = fsum(p[s] for s in with_one if class_of(s).parents[j]) / fsum(with_one.values())
        assert links[f"y{j + 1}"] == pytest.approx(share)


def test_without_a_score_or_a_posterior():
    structures = enumerate_structures(ONE)[:3]
    values = (-1.0, -2.0, nan)
    scores = tuple(Score(s, v, method="bic") for s, v in zip(structures, values, strict=True))
    p = Ranking.of(scores[::-1], [ONE], "structures").probabilities
    assert isnan(p[2]) and p[:2] == pytest.approx([1 / (1 + exp(-1)), 1 / (1 + exp(1))])
    fits = tuple(Score(s, v, method="map") for s, v in zip(structures, values, strict=True))
    without = Ranking.of(fits, [ONE], "structures")
    assert np.isnan(without.probabilities).all() and without.causes()["probability"].isna().all()
    assert [s.score for s in without.scores[:2]] == [-1.0, -2.0]
    ranking = rank_structures(CASES, [ONE], "map", restarts=2)
    values = [s.score for s in ranking.scores]
    assert values == sorted(values, reverse=True) and values[0] > -inf
    used = [s.without_childless().n_parameters for s in ranking.structures]
    assert ranking.to_frame()["n_parameters"].tolist() == used


def test_pairs_are_those_of_the_structures_with_a_score():
    values = {"1-1-0": -1.0, "1-1-1": -2.0, "0-0-0": nan}
    scores = [Score(Structure.from_label(s, ONE), v, method="bic") for s, v in values.items()]
    pairs = Ranking.of(scores, [ONE], "structures").pairs().set_index(["first", "second"])
    of_all = 1 / (1 + exp(1))
    expected = {("y1", "y2"): 1.0, ("y1", "y3"): of_all, ("y2", "y3"): of_all}
    assert pairs["probability"].to_dict() == pytest.approx(expected)


def test_causes_that_make_up_99_percent_are_enough():
    structures = {
        str(k): Structure.from_label("1-1-1", Family((k,), (2,) * 3)) for k in range(2, 6)
    }
    p = {"2": 0.388, "3": 0.6, "4": 0.004, "5": 0.008}
    assert [links.causes for links in probable_links(p, structures)] == [(3,), (2,), (5,)]


def test_causes_are_named_with_the_variables_that_they_act_on():
    structure = Structure.from_label("12-0-2-1", Family((2, 3, 2), (2,) * 4))
    assert causes_in_words(structure, "abcd") == "s1: a, d; s2: a, c; without a cause: b"


def test_it_stops_after_some_structures():
    family, stop = Family((2, 2), (2, 2, 2, 2)), iter([False, True])
    cases = np.column_stack([CASES, CASES[:, 0]])
    ranking = rank_structures(cases, [family], "bic", restarts=1, stop=lambda: next(stop))
    assert len(ranking.scores) == 128  # two parts, of 136


def test_wrong_arguments():
    with pytest.raises(ValueError, match="unknown prior 'flat': it must be one of structures, fam"):
        rank_structures(CASES, [ONE], prior="flat")
    with pytest.raises(ValueError, match="unknown prior 'links': it must be one of structures"):
        log_prior(enumerate_structures(), [Family()], "links")
    for families in ([], [ONE, Family((2,), (2, 2))]):
        with pytest.raises(ValueError, match="one or more with the same observed variables"):
            rank_structures(CASES, families)
    with pytest.raises(ValueError, match="families must be a sequence of Family, got Family"):
        rank_structures(CASES, ONE)


SETS = [
    *([(2, 2)], [(2, 3)], [(2, 2, 2)], [(3, 2, 2)]),
    *([(2,), (3,), (4,), (2, 2)], [(2, 2, 3), (3, 3), (4,)], [(2, 3), (3, 2, 3), (5, 2)]),
]


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("observed", [(2, 3, 2, 2), (2, 2), (5,)])
def test_every_structure_is_counted_once(hidden, observed):
    families = [Family(states, observed) for states in hidden]
    listed = all_structures(families)
    assert number_of_structures(families) == len(listed)
    assert number_of_classes(families) == len({PRIORS["classes"](s) for s in listed})


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_a_prior_is_shared_by_the_members_of_a_group(hidden, prior):
    families = [Family(states, (2, 3, 2)) for states in hidden]
    listed = all_structures(families)
    members = Counter(PRIORS[prior](s) for s in listed)
    expected = [1 / (len(members) * members[PRIORS[prior](s)]) for s in listed]
    for structures in (listed, [model_of(s) for s in listed]):
        priors = np.exp(log_prior(structures, families, prior))
        assert priors == pytest.approx(expected, rel=1e-12)


def test_families_that_are_too_large_to_be_listed():
    """136 structures of 78 classes in the paper's family; 5 causes of 12 variables in no order."""
    paper = Family()
    assert number_of_structures([paper]) == len(enumerate_structures(paper)) == 136
    assert number_of_classes([paper]) == 78
    many = number_of_structures([Family((2,) * 5, (2,) * 12)])
    # all 2^60 labelled ones over the 120 orders of causes, and few that are the same in two orders
    assert 1 < many / (2**60 / 120) < 1.003
