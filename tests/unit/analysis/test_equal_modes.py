"""A posterior with two equal modes: exact by enumeration, and each approximation what it says."""

from itertools import product

import numpy as np
import oracles
import pytest
from scipy.integrate import dblquad
from scipy.special import logit, logsumexp
from scipy.stats import beta, multivariate_normal

from latentdag import Parameters, Prior, simulate
from latentdag.analysis import equal_modes
from latentdag.analysis.equal_modes import STRUCTURE, densities, log_completions
from latentdag.scores import compute
from latentdag.scores.base import Task

pytestmark = pytest.mark.slow

ASKED = {"alpha": 0.7, "alpha_hidden": 1.6}
PRIOR = Prior(**ASKED)
CASES = simulate(STRUCTURE, equal_modes.TRUE, 40, np.random.default_rng(5))[0]


@pytest.fixture(scope="module")
def found():
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
    known = densities(cases, PRIOR, squares=squares)["posterior"]
    np.testing.assert_allclose(known, expected, rtol=1e-10)
    assert logsumexp(log_completions(cases, PRIOR)) == pytest.approx(log_evidence, abs=1e-10)


@pytest.mark.parametrize("name", ["posterior", "normal", "mixture"])
def test_modes_are_mirror_images(found, name):
    density = found[name]
    np.testing.assert_allclose(density, density.T, rtol=1e-9, atol=1e-12)
    highest = np.argwhere(density > density.max() * (1 - 1e-9))
    assert len(highest) == 2 and highest[0].tolist() == highest[1][::-1].tolist()
    one, other = highest[1] / len(density)
    assert one > 0.7 and other < 0.45  # where the truth is 0.9 and 0.2


def test_q_is_that_of_variational_em(found):
    """Its parameters are the prior's and the counts that are expected at its own weights."""
    task, label = Task([STRUCTURE], CASES, PRIOR, 4), STRUCTURE.label
    ((kernel, _),) = task.kernels
    fit = compute(task, ["vb"])[1]["vb"][label]
    weights = kernel.unpack(0, np.exp(fit.log_weights))
    of_y1 = oracles.expected_counts(STRUCTURE, weights, CASES)[1][0] + PRIOR.alpha
    first, second = sorted(of_y1, key=lambda u: -u[1] / u.sum())
    squares = len(found["q"])
    expected = np.outer(*(intervals(u[1], u[0], squares) for u in (first, second)))
    np.testing.assert_allclose(found["q"], expected * squares**2, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(found["mixture"], (found["q"] + found["q"].T) / 2, atol=1e-12)


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
    h = 1e-3 * np.eye(7)
    second = [
        [
            sum(a * b * log_posterior(mean + a * h[i] + b * h[j]) for a in (1, -1) for b in (1, -1))
            for j in range(7)
        ]
        for i in range(7)
    ]
    inverse = -np.array(second) / 4e-6
    np.testing.assert_allclose(np.linalg.inv(covariance), inverse, rtol=1e-4, atol=1e-4)
    slope = [log_posterior(mean + d) - log_posterior(mean - d) for d in h]
    np.testing.assert_allclose(slope, 0, atol=1e-7)


@pytest.mark.parametrize("correlation", [-0.9, 0.6])
def test_a_normal_density_of_correlated_logits(correlation):
    """Against quadrature over each square."""
    mean, scale = np.array([0.4, -0.7]), np.array([0.8, 1.3])
    covariance = np.outer(scale, scale) * [[1, correlation], [correlation, 1]]
    edges, normal = np.linspace(0, 1, 21), multivariate_normal(mean, covariance)
    found = equal_modes.normal_squares(mean, covariance, edges)
    assert found.sum() == pytest.approx(1, abs=1e-12)

    def density(second, first):
        phi = np.array([first, second])
        return normal.pdf(logit(phi)) / np.prod(phi * (1 - phi))

    for i, j in product((0, 4, 13, 19), repeat=2):
        expected, _ = dblquad(
            density, edges[i], edges[i + 1], edges[j], edges[j + 1], epsabs=1e-7, epsrel=1e-5
        )
        assert found[i, j] == pytest.approx(expected, abs=1e-6), (i, j)
