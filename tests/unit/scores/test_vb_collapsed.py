"""Collapsed variational Bayes: the bound against enumeration, its mixtures, and their order beside
the evidence.
"""

from itertools import product
from math import exp, lgamma, log

import numpy as np
import oracles
import pytest
from scipy.special import gammaln, logsumexp, xlogy
from scipy.stats import binom

from latentdag import Family, Prior, Structure, score
from latentdag.data.counts import MISSING, cell_counts
from latentdag.inference.collapsed import ascent, expectation, mixture
from latentdag.inference.collapsed.expectation import cells_of
from latentdag.inference.slots import Kernel
from latentdag.scores import compute
from latentdag.scores.base import Task

PRIOR = Prior(0.7, 1.6)
QUICK = {"restarts": 8, "hits": 4}
MODELS = [
    Structure.from_label("1-1-1-0", Family((3,), (2, 3, 2, 2))),
    Structure.from_label("1-12-2", Family((2, 2), (3, 2, 2))),
    Structure.from_label("12-1-12", Family((2, 3), (3, 2, 2))),
]
FEW = {3: 6, 4: 5, 6: 4}  # cases, by joint states: some hundreds of completions
each_model = pytest.mark.parametrize("structure", MODELS, ids=str)


def cases_of(family, n, seed=0, missing=0.0):
    """Cases of which some are equal, and of whose values a share is missing."""
    cases = oracles.dependent_cases(family, n, seed, 0.8)
    return np.where(np.random.default_rng(9).random(cases.shape) < missing, MISSING, cases)


class Plain:
    """Everything about q(s) by enumeration of all completions of a few cases."""

    def __init__(self, structure, cases):
        n_states, self.n = structure.family.n_states, len(cases)
        self.codes = np.indices((n_states,) * self.n).reshape(self.n, -1).T
        states = oracles.completions(structure.family, self.n)
        self.log_joint = oracles.log_joint(structure, PRIOR, states, cases)

    def probabilities(self, q):
        """Of every completion, under ``q`` (cases, H)."""
        return q[np.arange(self.n), self.codes].prod(axis=1)

    def bound(self, p):
        """E[ln p(s, y)] + entropy, for any probabilities of the completions."""
        return float(p @ self.log_joint - xlogy(p, p).sum())


def test_every_restart_that_reaches_the_best_optimum_is_counted():
    """Two groups that answer otherwise: more than one start leads to the optimum that has them."""
    s = Structure.from_label("1-1-1", Family((2,), (2, 2, 2)))
    cases = np.repeat([[0, 0, 0], [1, 1, 1]], 40, axis=0)
    result = score(cases, s, "vb_collapsed", restarts=6, hits=6)
    assert 2 <= result.restarts_at_best <= result.restarts


def kernel_of(structure, cases):
    return Kernel([structure], cell_counts(cases, structure.family))


def bound_of(kernel, prior=PRIOR):
    return expectation.Bound(cells_of(kernel, 0), kernel.untied(0, kernel.prior_slots(prior)))


def random_log_q(kernel, rng):
    q = rng.dirichlet(np.full(kernel.n_states, 0.6), size=len(kernel.patterns))
    return np.log(np.maximum(q, 1e-12) / np.maximum(q, 1e-12).sum(axis=1, keepdims=True))


def by_case(kernel, cases, of_cells):
    """Rows for cells as rows for cases."""
    place = [int(np.flatnonzero((kernel.patterns == case).all(axis=1))[0]) for case in cases]
    return of_cells[place]


@each_model
@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_the_bound_is_the_mean_over_all_completions(structure, missing):
    cases = cases_of(structure.family, FEW[structure.family.n_states], 3, missing)
    kernel = kernel_of(structure, cases)
    assert len(kernel.patterns) < len(cases)  # some cell occurs more than once
    plain, bound = Plain(structure, cases), bound_of(kernel)
    for seed in range(3):
        log_q = random_log_q(kernel, np.random.default_rng(seed))
        p = plain.probabilities(by_case(kernel, cases, np.exp(log_q)))
        assert bound(log_q) == pytest.approx(plain.bound(p), abs=1e-9)


@each_model
def test_a_step_follows_the_derivative_of_the_simple_form(structure):
    """By central differences in ln q of one cell: they have the entropy's - ln q - 1 as well."""
    kernel = kernel_of(structure, cases_of(structure.family, 30, 3, 0.25))
    log_q, h = random_log_q(kernel, np.random.default_rng(2)), kernel.n_states
    near = np.repeat(log_q[None], 2 * h + 1, axis=0)
    near[:-1, 0] += 1e-4 * np.concatenate([np.eye(h), -np.eye(h)])
    algorithm = ascent.CollapsedVB(kernel.prior_slots(PRIOR))
    values, after, mass = algorithm.step(kernel.batch([0] * len(near)), near)
    expected = (values[:h] - values[h:-1]) / 2e-4 / mass[-1, 0] + log_q[0]
    assert np.diff(after[-1, 0]) == pytest.approx(np.diff(expected), abs=1e-5)


@each_model
def test_where_states_are_certain_the_simple_form_is_exact(structure):
    """Up to a constant: for three ways to complete the cases."""
    kernel = kernel_of(structure, cases_of(structure.family, 30, 3, 0.25))
    states = np.random.default_rng(4).integers(kernel.n_states, size=(3, len(kernel.patterns)))
    log_q = np.where(np.eye(kernel.n_states)[states] == 1, 0.0, -99.0)
    algorithm, exact = ascent.CollapsedVB(kernel.prior_slots(PRIOR)), bound_of(kernel)
    values, *_ = algorithm.step(kernel.batch([0] * 3), log_q)
    assert np.diff(values) == pytest.approx(np.diff([exact(of_cells) for of_cells in log_q]))


def by_convolution(a, numbers, probabilities):
    """E ln Gamma(a + N) - ln Gamma(a), N a sum of independent binomials."""
    distribution = np.ones(1)
    for n, p in zip(numbers, probabilities, strict=True):
        distribution = np.convolve(distribution, binom.pmf(np.arange(n + 1), n, p))
    values = gammaln(a + np.arange(len(distribution))) - gammaln(a)
    return float(distribution @ values)


@pytest.mark.parametrize("alpha", [0.05, 1.0, 20.0])
@pytest.mark.parametrize(
    ("most", "scale"), [(1, 0.1), (3, 1.0), (40, 0.02), (40, 1.0), (400, 1.0)], ids=str
)
def test_the_expectation_is_exact(alpha, most, scale):
    """One cause of two states, one observed variable: counts with means from 0.1 to 10^4."""
    rng = np.random.default_rng(most)
    family = Family((2,), (60,))
    structure = Structure.from_label("1", family)
    numbers = rng.integers(1, most + 1, size=60)
    kernel = Kernel([structure], cell_counts(np.repeat(np.arange(60), numbers)[:, None], family))
    prior = Prior(alpha, 2 * alpha)
    p = np.clip(scale * rng.beta(0.5, 0.5, size=60), 1e-6, 1 - 1e-6)
    by_value = numbers[kernel.patterns[:, 0]]
    q = np.stack([1 - p, p], axis=1)
    value = bound_of(kernel, prior).expected_log_joint(q)
    expected = 0.0
    for share in q.T:
        expected += sum(
            by_convolution(alpha, [n], [x]) for n, x in zip(by_value, share, strict=True)
        )
        expected -= by_convolution(60 * alpha, by_value, share)
        expected += by_convolution(2 * alpha, by_value, share)
    n = numbers.sum()
    expected -= lgamma(4 * alpha + n) - lgamma(4 * alpha)
    assert value == pytest.approx(expected, abs=1e-9 + 1e-14 * abs(expected))


def test_an_end_below_its_start_is_not_taken(cases, monkeypatch):
    """Of ascents to a uniform q(s), which are told to be better by far."""

    def worse(kernel, algorithm, searches, *_):
        (search,) = searches
        fits, _ = next(search)
        flat = np.full_like(fits.log_weights, -log(fits.log_weights.shape[2]))
        with pytest.raises(StopIteration) as stop:
            search.send(fits._replace(log_weights=flat, objective=1e9 + np.arange(len(flat))))
        return [stop.value.value]

    monkeypatch.setattr(ascent, "run_together", worse)
    structure = Structure.from_label("1-12-12-2")
    _, results = compute(Task([structure], cases[:80], PRIOR, 3), ["vb_collapsed"], QUICK)
    optima, *_ = results["vb_collapsed"][structure.label]
    assert optima.bounds[0] >= results["vb"][structure.label].objective
    bound = bound_of(kernel_of(structure, cases[:80]))
    assert optima.bounds == pytest.approx([bound(log_q) for log_q in optima.log_q], abs=1e-10)


@each_model
def test_a_mixture_is_below_its_own_bound_by_enumeration(structure):
    """The bound on the entropy never exceeds it, and is exact where components lie far apart."""
    cases = cases_of(structure.family, FEW[structure.family.n_states] - 1, 5)
    kernel, plain = kernel_of(structure, cases), Plain(structure, cases)
    group, rng = mixture.images(structure), np.random.default_rng(0)
    bound = bound_of(kernel)
    for sharpness in (0.5, 3.0, 12.0):
        log_q = np.stack([sharpness * random_log_q(kernel, rng) for _ in range(2)])
        log_q -= logsumexp(log_q, axis=2, keepdims=True)
        q, weights = np.exp(log_q), rng.dirichlet([1, 1])
        overlap = mixture.overlaps(q, kernel.counts, group)
        value = mixture.value(weights, np.array([bound(x) for x in log_q]), overlap, len(group))
        p = sum(
            w / len(group) * plain.probabilities(by_case(kernel, cases, x[:, g]))
            for w, x in zip(weights, q, strict=True)
            for g in group
        )
        assert value <= plain.bound(p) + 1e-9
        assert value <= logsumexp(plain.log_joint) + 1e-9
        by_hand = np.zeros((2, 2))
        for a, b, g in product(range(2), range(2), group):
            affinity = np.sqrt(q[a] * q[b][:, g]).sum(axis=1)
            by_hand[a, b] += exp(kernel.counts @ np.log(affinity))
        np.testing.assert_allclose(overlap, by_hand)


def test_weights_of_known_mixtures():
    """Equal components add nothing, distant ones all of ln 2, a lower one its own share."""
    one, two = np.array([-100.0]), np.array([-100.0, -100.0])
    alone = mixture.value(np.ones(1), one, np.ones((1, 1)), 1)
    assert alone == -100.0

    def best(bounds, overlap, n_images=1):
        weights = mixture.best_weights(np.array(bounds), np.array(overlap), n_images)
        assert weights.sum() == pytest.approx(1)
        return mixture.value(weights, np.array(bounds), np.array(overlap), n_images)

    assert best(two, np.ones((2, 2))) == pytest.approx(alone, abs=1e-9)
    assert best(two, np.eye(2)) == pytest.approx(alone + log(2), abs=1e-9)
    apart = best([-100.0, -101.5], np.eye(2))
    assert apart == pytest.approx(np.logaddexp(-100.0, -101.5), abs=1e-9)
    # each with 8 images, of which 2 fall on the component itself
    assert best(one, [[2.0]], 8) == pytest.approx(-100 + log(4), abs=1e-12)


def test_too_many_relabellings_leave_rotations():
    structure = Structure.from_label("1-1", Family((8,), (2, 2)))
    group = mixture.images(structure)
    assert group.shape == (8, 8)
    assert {tuple(g) for g in group} == {tuple(np.roll(np.arange(8), k)) for k in range(8)}
