"""Structures of several families counted, against all of them listed, and ranked together, against
sums written out.
"""

import re
from collections import Counter
from itertools import combinations
from math import exp, fsum, inf, isnan, nan

import numpy as np
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.ranking.prior import (
    PRIORS,
    class_of,
    log_prior,
    model_of,
    number_of_classes,
    number_of_structures,
)
from latentdag.ranking.rank import all_structures, rank_structures
from latentdag.ranking.ranking import Ranking
from latentdag.scores import Score, score

CASES = np.array([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
ONE, THREE, TWO = (Family(hidden, (2, 2, 2)) for hidden in ((2,), (3,), (2, 2)))


@pytest.fixture(scope="module")
def exact() -> Ranking:
    """By the evidence itself."""
    return rank_structures(CASES, [TWO, THREE, ONE], "exact", prior="structures")


def test_what_is_the_same_model_counts_once(exact):
    """Two binary causes of which one has no children are one, no causes are none."""
    labels = Counter((s.family.hidden, s.label) for s in exact.structures)
    assert set(labels.values()) == {1}
    of_one = {s.label for s in enumerate_structures(ONE)} - {"0-0-0"}
    for causes in ((2,), (3,)):
        assert {label for hidden, label in labels if hidden == causes} == of_one
    assert [label for hidden, label in labels if hidden == ()] == ["0-0-0"]
    both = {
        s.label for s in enumerate_structures(TWO) if {"1", "2"} <= set(s.label) or "12" in s.label
    }
    assert {label for hidden, label in labels if hidden == (2, 2)} == both
    in_order = all_structures([ONE, THREE, TWO])
    assert in_order == all_structures([TWO, ONE, THREE])  # whatever their order
    assert set(all_structures([TWO])) == set(enumerate_structures(TWO))


@pytest.mark.parametrize("prior", ["structures", "families", "classes"])
def test_the_prior_is_uniform_over_what_it_says(prior):
    """And probabilities are proportional to prior times evidence; the highest comes first."""
    found = rank_structures(CASES, [ONE, THREE, TWO], "exact", prior=prior)

    def group(s: Structure):
        if prior == "structures":
            return s
        children = Counter(i for parents in s.parents for i in parents)
        if prior == "families":
            return tuple(sorted(s.family.hidden[i] for i in children))
        # a cause with one child adds nothing to the distributions
        kept = [i for i, n in children.items() if n > 1]
        tables = [[tuple(int(i in p) for p in s.parents), s.family.hidden[i]] for i in kept]
        return str(sorted(tables))

    groups = [group(s) for s in found.structures]
    beforehand = {g: 1 / (len(set(groups)) * groups.count(g)) for g in groups}
    # no cause, one of 2 or of 3 states, two; of the 4 sets of children 1 + 4 + 4 + 10 choices
    n_groups = {"structures": len(found.structures), "families": 4, "classes": 19}
    assert len(set(groups)) == n_groups[prior]
    assert np.exp(found.log_prior) == pytest.approx([beforehand[g] for g in groups])
    values = [score(CASES, s, "exact").score for s in found.structures]
    weights = np.array([beforehand[g] for g in groups]) * np.exp(values)
    assert np.diff(np.log(weights)).max() < 1e-12
    assert found.probabilities == pytest.approx(weights / weights.sum(), rel=1e-9)


def test_marginals(exact):
    """Sums over the structures that say so."""
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    of_causes = Counter()
    for s in p:
        children = Counter(i for parents in s.parents for i in parents)
        kept = [s.family.hidden[i] for i, n in children.items() if n > 1]  # others are absorbed
        of_causes[tuple(sorted(kept))] += p[s]
    causes = exact.causes()
    sums = {
        tuple(map(int, re.findall(r"\d", r.states))): r.probability for r in causes.itertuples()
    }
    assert sums == pytest.approx(dict(of_causes))
    assert causes["probability"].tolist() == sorted(of_causes.values(), reverse=True)
    assert causes["n_causes"].tolist() == list(map(len, sums))
    pairs = exact.pairs().set_index(["first", "second"])["probability"]
    assert len(pairs) == 3 and pairs.is_monotonic_decreasing
    for i, j in combinations(range(3), 2):
        share = fsum(p[s] for s in p if set(s.parents[i]) & set(s.parents[j]))
        assert pairs[f"y{i + 1}", f"y{j + 1}"] == pytest.approx(share)
    classes = exact.classes().set_index("class")
    assert classes["probability"].sum() == pytest.approx(1)
    assert classes["members"].sum() == len(p)
    private = Structure.from_label("1-0-0", ONE)  # absorbed: no cause
    of_none = fsum(p[s] for s in p if class_of(s).n_links == 0)
    assert classes["probability"]["0-0-0 (none)"] == pytest.approx(of_none) and of_none > p[private]


def test_links_are_shares_of_the_structures_with_these_causes(exact):
    """Of one cause no name has to be matched: p(link) is a sum."""
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    links = exact.links()
    links = links[links["states"] == "2"].set_index("variable")["probability"]
    with_one = {s: p[s] for s in p if class_of(s).family.hidden == (2,)}
    for j in range(3):
        share = fsum(p[s] for s in with_one if class_of(s).parents[j]) / fsum(with_one.values())
        assert links[f"y{j + 1}"] == pytest.approx(share)


def test_a_ranking_in_ten_lines(exact):
    assert len(repr(exact).splitlines()) == 10
    assert repr(exact.structures[0]) == exact.structures[0].label
    assert f"<td>{exact.names[0]}</td>" in exact._repr_html_()
    first = exact.to_frame().iloc[0]
    assert first["structure"] == exact.names[0]
    assert first["probability"] == exact.probabilities[0]


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
    found = rank_structures(CASES, [ONE], "map", restarts=2)
    assert [s.score for s in found.scores] == sorted((s.score for s in found.scores), reverse=True)
    assert found.scores[0].score > -inf


def test_it_stops_after_some_structures():
    family, stop = Family((2, 2), (2, 2, 2, 2)), iter([False, True])
    cases = np.column_stack([CASES, CASES[:, 0]])
    found = rank_structures(cases, [family], "bic", restarts=1, stop=lambda: next(stop))
    assert len(found.scores) == 128  # two parts, of 136


def test_wrong_arguments():
    with pytest.raises(ValueError, match="unknown prior 'flat': it must be one of structures, fam"):
        rank_structures(CASES, [ONE], prior="flat")
    for families in ([], [ONE, Family((2,), (2, 2))]):
        with pytest.raises(ValueError, match="one or more with the same observed variables"):
            rank_structures(CASES, families)
    with pytest.raises(ValueError, match="families must be a sequence of Family, got Family"):
        rank_structures(CASES, ONE)


SETS = [
    [(2, 2)],
    [(2, 3)],
    [(2, 2, 2)],
    [(3, 2, 2)],
    [(2,), (3,), (4,), (2, 2)],
    [(2, 2, 3), (3, 3), (4,)],
    [(2, 3), (3, 2, 3), (5, 2)],
]


def families(hidden, observed):
    return [Family(own, observed) for own in hidden]


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("observed", [(2, 3, 2, 2), (2, 2), (5,)])
def test_every_structure_is_counted_once(hidden, observed):
    own = families(hidden, observed)
    listed = all_structures(own)
    assert number_of_structures(own) == len(listed)
    assert number_of_classes(own) == len({PRIORS["classes"](s) for s in listed})


@pytest.mark.parametrize("hidden", SETS)
@pytest.mark.parametrize("prior", PRIORS)
def test_a_prior_is_shared_by_the_members_of_a_group(hidden, prior):
    own = families(hidden, (2, 3, 2))
    listed = all_structures(own)
    members = Counter(PRIORS[prior](s) for s in listed)
    expected = [1 / (len(members) * members[PRIORS[prior](s)]) for s in listed]
    found = log_prior(listed, own, prior)
    assert np.exp(found) == pytest.approx(expected, rel=1e-12)
    assert log_prior([model_of(s) for s in listed], own, prior).tolist() == found.tolist()


def test_families_that_are_too_large_to_be_listed():
    """136 structures of 78 classes in the paper's family; 5 causes of 12 variables in no order."""
    paper = Family()
    assert number_of_structures([paper]) == len(enumerate_structures(paper)) == 136
    assert number_of_classes([paper]) == 78
    many = number_of_structures([Family((2,) * 5, (2,) * 12)])
    # all 2^60 labelled ones over the 120 orders of causes, and few that are the same in two orders
    assert 1 < many / (2**60 / 120) < 1.003


def test_an_unknown_prior():
    with pytest.raises(ValueError, match="unknown prior 'links': it must be one of structures"):
        log_prior(enumerate_structures(), [Family()], "links")
