"""Gamma functions in double precision against 40 digits."""

import numpy as np
import oracles
import pytest

from latentdag.engine.special import STIRLING_FROM, log_dirichlet_peak, log_gamma_ratio
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA

ALPHAS = [1e-3, MIN_ALPHA, 0.5, 1, 7, STIRLING_FROM - 1e-9, STIRLING_FROM, 100, 1e5, 1e8, MAX_ALPHA]
NUMBERS = [0, 1e-9, 0.3, 1, 2.5, 10, 480, 1e4, 1e6]


@pytest.mark.parametrize("a", ALPHAS)
def test_log_gamma_ratio(a):
    expected = np.array([oracles.log_gamma_ratio(a, n) for n in NUMBERS])
    error = np.abs(log_gamma_ratio(a, np.array(NUMBERS)) - expected)
    assert (error < 2e-14 * (1 + np.abs(expected))).all()


def test_log_gamma_ratio_elementwise():
    """Small and large arguments in one array, of any shape."""
    a, n = np.array(ALPHAS), np.array(NUMBERS)[:, None, None]
    values = log_gamma_ratio(a, n)
    assert values.shape == (len(NUMBERS), 1, len(ALPHAS))
    for (i, _, j), value in np.ndenumerate(values):
        assert value == log_gamma_ratio(ALPHAS[j], np.array(NUMBERS[i]))


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("k", [2, 5, 17])
def test_log_dirichlet_peak(alpha, k):
    expected = oracles.log_dirichlet_of_logits(np.full(k, 1 / k), alpha)
    assert log_dirichlet_peak(alpha, k) == pytest.approx(expected, abs=1e-12, rel=1e-13)
