"""Structures of several families ranked together, against sums written out."""

from collections import Counter
from itertools import combinations
from math import exp, fsum, inf, isnan, nan

import numpy as np
import pytest

from latentdag import Family, Score, Structure, enumerate_structures, score
from latentdag.search.ranking import AT_ONCE, Ranking, distinct_structures, rank_structures

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
    of_one = {s.label for s in enumerate_structures(ONE)}
    assert {label for hidden, label in labels if hidden == (2,)} == of_one
    of_three = {label for hidden, label in labels if hidden == (3,)}
    assert of_three == of_one - {"0-0-0"}
    both = {
        s.label for s in enumerate_structures(TWO) if {"1", "2"} <= set(s.label) or "12" in s.label
    }
    assert {label for hidden, label in labels if hidden == (2, 2)} == both
    in_order = distinct_structures([ONE, THREE, TWO])
    assert in_order == distinct_structures([TWO, ONE, THREE])  # whatever their order
    assert distinct_structures([TWO]) == [enumerate_structures(TWO)]


@pytest.mark.parametrize("prior", ["structures", "families", "classes"])
def test_the_prior_is_uniform_over_what_it_says(prior):
    """And probabilities are proportional to prior times evidence; the best score comes first."""
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
    assert np.diff(values).max() < 1e-12
    assert found.probabilities == pytest.approx(weights / weights.sum(), rel=1e-9)


def test_marginals(exact):
    """Sums over the structures that say so."""
    p = dict(zip(exact.structures, exact.probabilities, strict=True))
    of_causes = Counter()
    for s in p:
        children = Counter(i for parents in s.parents for i in parents)
        kept = [s.family.hidden[i] for i, n in children.items() if n > 1]  # others are absorbed
        of_causes[tuple(sorted(kept))] += p[s]
    assert exact.of_causes() == pytest.approx(dict(of_causes))
    assert list(exact.of_causes().values()) == sorted(of_causes.values(), reverse=True)
    for i, j in combinations(range(3), 2):
        share = fsum(p[s] for s in p if set(s.parents[i]) & set(s.parents[j]))
        assert exact.of_pairs()[i, j] == pytest.approx(share)
    assert sum(exact.of_classes().values()) == pytest.approx(1)
    private = Structure.from_label("1-0-0", ONE)  # absorbed: no cause
    none = Structure.from_label("0-0-0", Family((), (2, 2, 2)))
    assert exact.of_classes()[none] > p[private] > 0


def test_without_a_score_or_a_posterior():
    structures = enumerate_structures(ONE)[:3]
    values = (-1.0, -2.0, nan)
    scores = tuple(Score(s, v, method="bic") for s, v in zip(structures, values, strict=True))
    p = Ranking(scores, "structures").probabilities
    assert isnan(p[2]) and p[:2] == pytest.approx([1 / (1 + exp(-1)), 1 / (1 + exp(1))])
    fits = tuple(Score(s, v, method="map") for s, v in zip(structures, values, strict=True))
    assert np.isnan(Ranking(fits, "structures").probabilities).all()
    found = rank_structures(CASES, [ONE], "map", restarts=2)
    assert [s.score for s in found.scores] == sorted((s.score for s in found.scores), reverse=True)
    assert found.scores[0].score > -inf


def test_it_stops_after_some_structures():
    family, stop = Family((2, 2), (2, 2, 2, 2)), iter([False, True])
    cases = np.column_stack([CASES, CASES[:, 0]])
    found = rank_structures(cases, [family], "bic", restarts=1, stop=lambda: next(stop))
    assert len(found.scores) == 2 * AT_ONCE == 128  # of 136


def test_wrong_arguments():
    with pytest.raises(ValueError, match="unknown prior 'flat': it must be one of structures, fam"):
        rank_structures(CASES, [ONE], prior="flat")
    for families in ([], [ONE, Family((2,), (2, 2))]):
        with pytest.raises(ValueError, match="one or more with the same observed variables"):
            rank_structures(CASES, families)
    with pytest.raises(ValueError, match="families must be a sequence of Family, got Family"):
        rank_structures(CASES, ONE)
