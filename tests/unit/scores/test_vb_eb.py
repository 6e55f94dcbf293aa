"""VB with the prior estimated: against SciPy, its gradient by differences, and its limits."""

from itertools import product
from math import isnan, log

import numpy as np
import oracles
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import digamma

from latentdag import Family, Structure, score
from latentdag.inference.em.empirical_bayes import EmpiricalBayes, one_state_weights, with_prior
from latentdag.inference.em.vbem import VBEM, bound
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA, Prior
from latentdag.scores.base import Task

QUICK = {"restarts": 8, "hits": 8}
PRIOR = Prior(0.8, 1.3)


def test_the_objective_is_vbs_bound_for_the_prior_it_carries(cases):
    """The two columns are the prior, and the next log weights those of VBEM for the next prior."""
    labels = ("1-12-12-2", "1-1-2-2", "12-12-12-12")
    task = Task([Structure.from_label(x) for x in labels], cases[:40], PRIOR)
    ((kernel, structures),) = task.kernels
    start, items = task.start(kernel, structures), np.arange(3)
    weights = np.array([start(s, 0) for s in items])
    state = np.array([with_prior(w, Prior(0.3 + s, 2.0)) for s, w in enumerate(weights)])
    objective, following, mass = EmpiricalBayes().step(kernel.batch(items), state)
    for s in items:
        before, after = np.exp(state[s, 0, -2:]), np.exp(following[s, 0, -2:])
        batch = kernel.batch(items[[s]])
        slots = [kernel.prior_slots(Prior(*both)) for both in (before, after)]
        assert objective[s] == pytest.approx(bound(batch, weights[[s]], slots[0])[0][0], rel=1e-12)
        _, plain, u = VBEM(slots[1]).step(batch, weights[[s]])
        assert following[s, :, :-2] == pytest.approx(plain[0], rel=1e-10)
        assert mass[s, :, :-2] == pytest.approx(u[0], rel=1e-10)
        assert np.abs(np.log(after / before)).max() > 0.05  # it moves
        assert (mass[s, :, -2:] > 0).all()


def test_without_links_it_is_the_best_of_the_closed_forms(cases):
    own = cases[:200]
    found = score(own, Structure.from_label("0-0-0-0"), "vb_eb", **QUICK)
    best = minimize_scalar(
        lambda x: -oracles.log_evidence_without_parents(Family(), own, np.exp(x)),
        bounds=(-3, 6),
        method="bounded",
    )
    assert found.score == pytest.approx(-best.fun, abs=1e-6)
    assert found.alpha == pytest.approx(np.exp(best.x), rel=1e-3)
    assert isnan(found.alpha_hidden)


def test_counts_that_are_more_even_than_chance_take_alpha_to_its_upper_limit():
    cases = np.array(list(product(range(3), range(2)))).repeat(5, axis=0)
    family = Family((2,), (3, 2))
    found = score(cases, Structure.from_label("0-0", family), "vb_eb", **QUICK)
    assert found.alpha == MAX_ALPHA
    assert found.score == pytest.approx(-30 * log(6), abs=1e-6)
    # and counts in one value to the lower one
    found = score(np.zeros((30, 2), dtype=int), Structure.from_label("0-0", family), "vb_eb")
    assert found.alpha == MIN_ALPHA


def test_the_start_with_all_cases_in_one_state():
    """E[ln theta] given the completion; rows of other states have the prior's."""
    family = Family((2, 3), (3, 2, 4))
    structures = [Structure.from_label(x, family) for x in ("1-12-2", "1-2-2")]
    cases = np.random.default_rng(5).integers(family.observed, size=(20, 3))
    ((kernel, _),) = Task(structures, cases).kernels
    starts = one_state_weights(kernel, PRIOR)
    for i, s in enumerate(structures):
        theta = kernel.unpack(i, starts[i])
        for found, k in zip(theta.hidden, family.hidden, strict=True):
            u = np.where(np.arange(k) == 0, 20, 0) + PRIOR.alpha_hidden
            assert found == pytest.approx(digamma(u) - digamma(u.sum()))
        for table, column, k, parents in zip(
            theta.observed, cases.T, family.observed, s.parents, strict=True
        ):
            u = np.full(table.shape, PRIOR.alpha)
            u[0] += np.bincount(column, minlength=k)
            assert len(table) == np.prod([family.hidden[p] for p in parents])
            assert table == pytest.approx(digamma(u) - digamma(u.sum(axis=1, keepdims=True)))
