"""BIC and Cheeseman-Stutz with the effective dimension: values, and what is left as n grows."""

from math import log

import numpy as np
import oracles
import pytest

from latentdag import Family, Prior, Structure, score
from latentdag.scores import SPECS, compute
from latentdag.scores.base import Side, Task

# effective dimensions and free parameters, without and with those of childless hidden variables
DIMENSIONS = {
    "0-0-0-0": (16, 16, 18),
    "0-0-1-1": (23, 25, 26),  # 5 x 5 tables of rank 2
    "0-0-0-1": (16, 21, 22),  # a cause of one child
    "1-2-0-0": (16, 26, 26),
    "1-1-1-1": (33, 33, 34),
    "0-0-12-12": (31, 42, 42),  # of rank 4
    "1-12-12-2": (50, 50, 50),
}
PRIOR = Prior(0.8, 1.3)
QUICK = {"restarts": 8, "hits": 2}


@pytest.fixture(scope="module")
def scores(cases):
    """Four scores of each structure at n = 80, by label and method."""
    task = Task([Structure.from_label(x) for x in DIMENSIONS], cases[:80], PRIOR, 7, (3,))
    found, _ = compute(task, ["map", "cs", "bic_dim", "cs_dim"], QUICK)
    return {(s.structure.label, s.method): s for s in found}


@pytest.mark.parametrize("label", DIMENSIONS)
def test_values(scores, label):
    dimension, free, _ = DIMENSIONS[label]
    fit, cs = scores[label, "map"].score, scores[label, "cs"].score
    assert scores[label, "bic_dim"].score == pytest.approx(fit - dimension / 2 * log(80), abs=1e-9)
    expected = cs + (free - dimension) / 2 * log(80)
    assert scores[label, "cs_dim"].score == pytest.approx(expected, abs=1e-9)


def test_how_the_fit_went_stays_and_its_log_prior_does_not(scores):
    for label in DIMENSIONS:
        for method in ("bic_dim", "cs_dim"):
            own, fit = scores[label, method], scores[label, "map"]
            assert (own.iterations, own.restarts) == (fit.iterations, fit.restarts)
            assert own.restarts_at_best == fit.restarts_at_best
            assert own.converged and np.isnan(own.log_prior)


def test_neither_is_a_bound_and_both_give_a_posterior():
    for method in ("bic_dim", "cs_dim"):
        assert SPECS[method].side is Side.CRITERION
        assert SPECS[method].posterior


def test_a_cause_of_one_child_costs_nothing_in_bic_dim(cases):
    """At the maximum it fits no better either, and every score with a prior differs."""
    values = {
        label: score(cases[:480], Structure.from_label(label), "bic_dim", **QUICK).score
        for label in ("0-0-0-0", "0-0-0-1", "1-2-0-0")
    }
    assert max(values.values()) - min(values.values()) < 1


# richer structures come to rest, too, with 100 times the cases
@pytest.mark.parametrize("label", ["0-0-0-0", "0-0-1-1", "0-0-0-1", "1-2-0-0", "1-1-1-1"])
def test_the_two_differ_by_a_constant_as_n_grows(label):
    """Cases in the proportions of an interior point, again and again: the estimate stays, every
    expected count grows with n, and of both penalties (D / 2) ln n is left.
    """
    _, free, all_free = DIMENSIONS[label]
    s = Structure.from_label(label)
    point = oracles.random_parameters(s, np.random.default_rng(2), concentration=4)
    counts = np.rint(5000 * oracles.cell_probabilities(s, point)).astype(int)
    cases = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
    gaps, other = [], []
    for times in (2, 16):
        own = np.tile(cases, (times, 1))
        task = Task([s], own)
        found, _ = compute(task, ["bic_dim", "cs_dim"], {"restarts": 16, "hits": 4})
        gaps.append(found[1].score - found[0].score)
        # were those of childless hidden variables counted
        other.append(gaps[-1] + (all_free - free) / 2 * log(len(own)))
    assert gaps[1] - gaps[0] == pytest.approx(0, abs=0.1)
    assert other[1] - other[0] == pytest.approx((all_free - free) / 2 * log(8), abs=0.1)


@pytest.mark.parametrize("n", [10, 480])
def test_without_links_cs_dim_is_the_evidence(cases, n):
    """In a family with many parameters of childless hidden variables."""
    family = Family((3, 4), (5, 5, 5, 5))
    own = score(cases[:n], Structure.from_label("0-0-0-0", family), "cs_dim", alpha=0.8)
    expected = oracles.log_evidence_without_parents(family, cases[:n], 0.8)
    assert own.score == pytest.approx(expected, abs=1e-8)
