"""Cheeseman-Stutz and VB with linear response, against Jacobians by differences and other ways to
the same number.
"""

from math import log

import numpy as np
import oracles
import pytest
from scipy.special import digamma

from latentdag import Family, Structure
from latentdag.model.parameters import Prior
from latentdag.scores import SPECS, compute
from latentdag.scores.base import Task
from latentdag.scores.modes import mode_statistics

QUICK = {"restarts": 24, "hits": 4}
PRIOR = Prior(0.8, 1.3)
STRUCTURES = [
    ("1-12-12-2", Family()),
    ("12-12-12-12", Family()),
    ("1-1-0-1", Family()),
    ("1-12-12-2", Family((2, 3), (5, 5, 5, 5))),
]
each_structure = pytest.mark.parametrize(("label", "family"), STRUCTURES, ids=str)
METHODS = ["map", "cs", "cs_lr", "laplace", "vb", "vb_lr"]


def computed(cases, label, family, prior=PRIOR):
    """Scores by method, the structure without childless causes, and the fits."""
    structure = Structure.from_label(label, family).canonical()
    task = Task([structure], cases, prior, 7, (3,))
    scores, found = compute(task, METHODS, QUICK)
    return {s.method: s for s in scores}, structure.without_childless(), task, found


class Map:
    """One step of EM or VBEM in the logarithms of a structure's parameters, by plain loops over the
    distinct cases.
    """

    def __init__(self, structure, cases, prior, variational):
        self.structure, self.variational = structure, variational
        family = structure.family
        self.cells, self.numbers = np.unique(cases, axis=0, return_counts=True)
        free = oracles.FreeBound(
            structure, self.cells, self.numbers, prior.alpha, prior.alpha_hidden
        )
        self.design, self.prior, self.blocks = free.design, free.prior, free.blocks
        self.family = family

    def counts(self, x):
        joint = np.einsum("pch,p->ch", self.design, x)
        q = np.exp(joint - joint.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        return np.einsum("pch,c,ch->p", self.design, self.numbers, q)

    def __call__(self, x):
        u = self.prior + self.counts(x)
        new = np.empty_like(u)
        for start, k in self.blocks.items():
            row = u[start : start + k]
            if self.variational:
                new[start : start + k] = digamma(row) - digamma(row.sum())
            else:
                new[start : start + k] = np.log(row / row.sum())
        return new

    def fixed_point(self, x):
        for _ in range(20000):
            new = self(x)
            if np.abs(new - x).max() < 1e-13:
                break
            x = new
        return x

    def log_det(self, x, h=1e-4):
        """ln det(I - J), J by differences of fourth order."""
        columns = []
        for e in h * np.eye(len(x)):
            near, far = (self(x + k * e) - self(x - k * e) for k in (1, 2))
            columns.append((8 * near - far) / (12 * h))
        sign, value = np.linalg.slogdet(np.eye(len(x)) - np.array(columns).T)
        assert sign == 1
        return value


@each_structure
@pytest.mark.parametrize(("method", "base"), [("cs_lr", "cs"), ("vb_lr", "vb")])
def test_value(cases, label, family, method, base):
    own = cases[:60]
    scores, structure, _, found = computed(own, label, family)
    job = SPECS[method].job.name
    step = Map(structure, own, PRIOR, variational=method == "vb_lr")
    fit = found[job][Structure.from_label(label, family).canonical().label]
    x = step.fixed_point(oracles.flat(structure, fit.log_weights))
    assert np.abs(x - oracles.flat(structure, fit.log_weights)).max() < 1e-2
    expected = scores[base].score - step.log_det(x) / 2 + scores[method].log_copies
    assert scores[method].score == pytest.approx(expected, abs=1e-4)
    assert scores[method].score > scores[base].score + scores[method].log_copies + 0.5
    assert scores[method].log_copies > 0
    for name in ("iterations", "restarts", "restarts_at_best", "converged"):
        assert getattr(scores[method], name) == getattr(scores[base], name)


def test_copies_are_those_of_the_means_under_the_prior_given(cases):
    """At the same responsibilities a strong prior makes the means of both states alike."""
    family = Family((2,), (5, 5, 5, 5))
    structure = Structure.from_label("1-1-1-1", family)
    found = compute(Task([structure], cases[:200], Prior(1.0)), ["map"], QUICK)[1]["map"]
    for prior, expected in ((Prior(0.5), log(2)), (Prior(1e6), 0.0)):
        ((_, statistics, log_m),) = mode_statistics(Task([structure], cases[:200], prior), found)
        assert log_m == pytest.approx(expected)
        assert statistics.expected.sum() == pytest.approx(5 * 200)
