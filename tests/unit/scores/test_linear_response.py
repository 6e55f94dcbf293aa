"""Cheeseman-Stutz and VB with linear response, against Jacobians by differences and other ways to
the same number.
"""

from math import lgamma, log, pi

import numpy as np
import oracles
import pytest
from scipy.special import digamma

from latentdag import Family, Structure, score
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


def flat(structure, slots):
    """Log weights in the order of `oracles.FreeBound`: hidden variables first."""
    family = structure.family
    table = slots.reshape(*family.hidden, -1)
    hidden, observed, at = [], [], 0
    for parents, k in zip(structure.parents, family.observed, strict=True):
        one = tuple(slice(None) if i in parents else 0 for i in range(len(family.hidden)))
        observed.append(table[(*one, slice(at, at + k))].ravel())
        at += k
    for k in family.hidden:
        hidden.append(slots[0, at : at + k])
        at += k
    return np.concatenate([*hidden, *observed])


@each_structure
@pytest.mark.parametrize(("method", "base"), [("cs_lr", "cs"), ("vb_lr", "vb")])
def test_value(cases, label, family, method, base):
    own = cases[:60]
    scores, structure, _, found = computed(own, label, family)
    job = SPECS[method].job.name
    step = Map(structure, own, PRIOR, variational=method == "vb_lr")
    fit = found[job][Structure.from_label(label, family).canonical().label]
    x = step.fixed_point(flat(structure, fit.log_weights))
    assert np.abs(x - flat(structure, fit.log_weights)).max() < 1e-2
    expected = scores[base].score - step.log_det(x) / 2 + scores[method].log_copies
    assert scores[method].score == pytest.approx(expected, abs=1e-4)
    assert scores[method].score > scores[base].score + scores[method].log_copies + 0.5
    assert scores[method].log_copies > 0
    for name in ("iterations", "restarts", "restarts_at_best", "converged"):
        assert getattr(scores[method], name) == getattr(scores[base], name)


@each_structure
def test_it_is_laplace_with_the_complete_datas_integral_done_exactly(cases, label, family):
    """Row by row, B(u) against its own Laplace approximation in the logits."""
    own = cases[:60]
    scores, structure, task, found = computed(own, label, family)
    ((kernel, _),) = task.kernels
    fit = found["map"][task.structures[0].label]
    parameters = kernel.unpack(0, np.exp(fit.log_weights))
    hidden, observed = oracles.expected_counts(structure, parameters, own)
    rows = [(row, PRIOR.alpha_hidden) for row in hidden]
    rows += [(row, PRIOR.alpha) for t in observed for row in t.reshape(-1, t.shape[-1])]
    difference = 0.0
    for counts, alpha in rows:
        u = counts + alpha
        theta, total, k = u / u.sum(), u.sum(), len(u)
        exact = sum(lgamma(x) for x in u) - lgamma(total)
        normal = u @ np.log(theta) + (k - 1) / 2 * log(2 * pi)
        normal -= ((k - 1) * log(total) + np.log(theta).sum()) / 2
        difference += exact - normal
    assert scores["cs_lr"].score - scores["laplace"].score == pytest.approx(difference, abs=1e-5)
    assert scores["cs_lr"].log_copies == scores["laplace"].log_copies


@pytest.mark.parametrize("method", ["cs", "vb"])
@pytest.mark.parametrize("n", [10, 480])
def test_without_hidden_causes_nothing_is_added(cases, method, n):
    structure = Structure.from_label("0-0-0-0")
    base = score(cases[:n], structure, method, alpha=0.7, **QUICK)
    result = score(cases[:n], structure, f"{method}_lr", alpha=0.7, **QUICK)
    expected = oracles.log_evidence_without_parents(Family(), cases[:n], 0.7)
    assert result.score == base.score
    assert result.score == pytest.approx(expected, abs=1e-8)
    assert result.log_copies == 0


@pytest.mark.parametrize("variational", [False, True])
def test_the_tangent_and_the_term_that_it_leaves_out_are_the_evidence(variational):
    """The identity behind both: F + ln E_q[exp r(x)] = ln p(y given m), at any point; and r is
    (x - a)'C (x - a) / 2 to second order, C the derivative of the expected counts. With a strong
    prior, higher orders are small, and the determinant gives what is left out.
    """
    prior = Prior(8.0, 6.0)
    structure = Structure.from_label("1-1", Family((2,), (2, 3)))
    rng = np.random.default_rng(5)
    cases = rng.integers((2, 3), size=(6, 2))
    step = Map(structure, cases, prior, variational)
    a = step.fixed_point(np.log(rng.dirichlet(np.ones(2), size=6)).ravel()[: len(step.prior)])

    def log_likelihood(x):
        return np.logaddexp.reduce(np.tensordot(x, step.design, 1), axis=-1) @ step.numbers

    def log_beta(u):
        return sum(
            sum(map(lgamma, u[s : s + k])) - lgamma(sum(u[s : s + k]))
            for s, k in step.blocks.items()
        )

    expected = step.counts(a)
    u = step.prior + expected
    bound = log_likelihood(a) - a @ expected + log_beta(u) - log_beta(step.prior)
    draws = rng.gamma(u, size=(200_000, len(u)))
    for s, k in step.blocks.items():
        draws[:, s : s + k] /= draws[:, s : s + k].sum(axis=1, keepdims=True)
    x = np.log(draws)
    r = log_likelihood(x) - log_likelihood(a) - (x - a) @ expected
    assert r.min() > -1e-12
    weights = np.exp(r)
    evidence = oracles.log_evidence_by_completions(structure, cases, 8.0, 6.0)
    error = weights.std() / weights.mean() / len(weights) ** 0.5
    assert error < 0.01
    assert abs(bound + log(weights.mean()) - evidence) < 5 * error
    assert evidence - bound > 20 * error
    assert -step.log_det(a) / 2 == pytest.approx(evidence - bound, rel=0.2)

    h = 1e-5
    curvature = np.array(
        [(step.counts(a + h * e) - step.counts(a - h * e)) / (2 * h) for e in np.eye(len(a))]
    )
    z = 1e-2 * rng.normal(size=(50, len(a)))
    near = log_likelihood(a + z) - log_likelihood(a) - z @ expected
    quadratic = np.einsum("ni,ij,nj->n", z, curvature, z) / 2
    np.testing.assert_allclose(near, quadratic, atol=2e-5)


def test_copies_are_those_of_the_means_under_the_prior_given(cases):
    """At the same responsibilities a strong prior makes the means of both states alike."""
    family = Family((2,), (5, 5, 5, 5))
    structure = Structure.from_label("1-1-1-1", family)
    found = compute(Task([structure], cases[:200], Prior(1.0)), ["map"], QUICK)[1]["map"]
    for prior, expected in ((Prior(0.5), log(2)), (Prior(1e6), 0.0)):
        ((_, statistics, log_m),) = mode_statistics(Task([structure], cases[:200], prior), found)
        assert log_m == pytest.approx(expected)
        assert statistics.expected.sum() == pytest.approx(5 * 200)
