"""A posterior with two equal modes: exact by enumeration, and each approximation what it says."""

from itertools import product

import numpy as np
import oracles
import pytest
from scipy.integrate import dblquad
from scipy.special import logit, logsumexp
from scipy.stats import beta, multivariate_normal

from latentdag import Parameters, Prior, simulate
from latentdag.scores import compute
from latentdag.scores.base import Task
from latentdag.study.teaching import equal_modes
from latentdag.study.teaching.equal_modes import STRUCTURE, densities, log_completions

pytestmark = pytest.mark.slow

PRIOR = Prior(0.7, 1.6)
CASES = simulate(STRUCTURE, equal_modes.TRUE, 40, np.random.default_rng(5))[0]


@pytest.fixture(scope="module")
def by_name():
    return densities(CASES, PRIOR, seed=4)


def intervals(a, b, squares):
    return np.diff(beta.cdf(np.linspace(0, 1, squares + 1), a, b))


def test_the_posterior_is_the_sum_over_all_completions():
    """With 7 cases, completion by completion."""
    cases, squares = CASES[:7], 6
    weights, log_evidence = oracles.posterior(STRUCTURE, PRIOR, cases)
    grids = []
    for states in oracles.completions(STRUCTURE.family, len(cases))[:, :, 0]:
        of_y1 = [np.bincount(cases[states == k, 0], minlength=2) + 0.7 for k in (0, 1)]
        grids.append(np.outer(*(intervals(u[1], u[0], squares) for u in of_y1)))
    expected = np.tensordot(weights, grids, 1) * squares**2
    density = densities(cases, PRIOR, squares=squares)["posterior"]
    np.testing.assert_allclose(density, expected, rtol=1e-10)
    assert logsumexp(log_completions(cases, PRIOR)) == pytest.approx(log_evidence, abs=1e-10)


@pytest.mark.parametrize("name", ["posterior", "normal", "mixture"])
def test_modes_are_mirror_images(by_name, name):
    density = by_name[name]
    np.testing.assert_allclose(density, density.T, rtol=1e-9, atol=1e-12)
    highest = np.argwhere(density > density.max() * (1 - 1e-9))
    assert len(highest) == 2 and highest[0].tolist() == highest[1][::-1].tolist()
    one, other = highest[1] / len(density)
    assert one > 0.7 and other < 0.45  # where the truth is 0.9 and 0.2


def test_q_is_that_of_variational_em(by_name):
    """Its parameters are the prior's and the counts that are expected at its own weights."""
    task, label = Task([STRUCTURE], CASES, PRIOR, 4), STRUCTURE.label
    ((kernel, _),) = task.kernels
    fit = compute(task, ["vb"])[1]["vb"][label]
    weights = kernel.unpack(0, np.exp(fit.log_weights))
    of_y1 = oracles.expected_counts(STRUCTURE, weights, CASES)[1][0] + PRIOR.alpha
    first, second = sorted(of_y1, key=lambda u: -u[1] / u.sum())
    q = by_name["q"]
    expected = np.outer(*(intervals(u[1], u[0], len(q)) for u in (first, second)))
    np.testing.assert_allclose(q, expected * len(q) ** 2, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(by_name["mixture"], (q + q.T) / 2, atol=1e-12)


def log_posterior(logits):
    """ln p(y, theta) at logits of the two rows of y1, y2 and y3, and of p(s)."""
    theta = 1 / (1 + np.exp(-np.asarray(logits)))
    rows = np.column_stack([1 - theta, theta])
    parameters = Parameters((rows[6],), tuple(rows[:6].reshape(3, 2, 2)))
    prior = sum(oracles.log_dirichlet_of_logits(row, 0.7) for row in rows[:6])
    prior += oracles.log_dirichlet_of_logits(rows[6], 1.6)
    return oracles.log_likelihood(STRUCTURE, parameters, CASES) + prior


def test_the_normal_density_has_the_curvature_of_the_mode():
    task = Task([STRUCTURE], CASES, PRIOR, 4)
    best = compute(task, ["map"])[1]["map"][STRUCTURE.label]
    mean, covariance = equal_modes.normal_of_logits(task, best.log_weights)
    h, second = 1e-3 * np.eye(7), np.zeros((7, 7))
    for (i, j), a, b in product(np.ndindex(7, 7), (1, -1), (1, -1)):
        second[i, j] += a * b * log_posterior(mean + a * h[i] + b * h[j]) / 4e-6
    np.testing.assert_allclose(np.linalg.inv(covariance), -second, rtol=1e-4, atol=1e-4)
    slope = [log_posterior(mean + d) - log_posterior(mean - d) for d in h]
    np.testing.assert_allclose(slope, 0, atol=1e-7)


@pytest.mark.parametrize("correlation", [-0.9, 0.6])
def test_a_normal_density_of_correlated_logits(correlation):
    """Against quadrature over each square."""
    mean, scale = np.array([0.4, -0.7]), np.array([0.8, 1.3])
    covariance = np.outer(scale, scale) * [[1, correlation], [correlation, 1]]
    edges, normal = np.linspace(0, 1, 21), multivariate_normal(mean, covariance)
    masses = equal_modes.normal_squares(mean, covariance, edges)
    assert masses.sum() == pytest.approx(1, abs=1e-12)

    def density(second, first):
        phi = np.array([first, second])
        return normal.pdf(logit(phi)) / np.prod(phi * (1 - phi))

    for i, j in product((0, 4, 13, 19), repeat=2):
        limits = (*edges[i : i + 2], *edges[j : j + 2])
        expected, _ = dblquad(density, *limits, epsabs=1e-7, epsrel=1e-5)
        assert masses[i, j] == pytest.approx(expected, abs=1e-6), (i, j)
