"""Gamma functions in double precision against 40 digits."""

import numpy as np
import oracles
import pytest

from latentdag.engine.special import STIRLING_FROM, log_dirichlet_peak, log_gamma_ratio
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA

ALPHAS = [1e-3, MIN_ALPHA, 0.5, 1, 7, STIRLING_FROM - 1e-9, STIRLING_FROM, 100, 1e5, 1e8, MAX_ALPHA]
NUMBERS = [0, 1e-9, 0.3, 1, 2.5, 10, 480, 1e4, 1e6]


def test_log_gamma_ratio():
    """Small and large arguments in one array."""
    found = log_gamma_ratio(np.array(ALPHAS), np.array(NUMBERS)[:, None])
    expected = np.array([[oracles.log_gamma_ratio(a, n) for a in ALPHAS] for n in NUMBERS])
    assert (np.abs(found - expected) < 2e-14 * (1 + np.abs(expected))).all()


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("k", [2, 5, 17])
def test_log_dirichlet_peak(alpha, k):
    expected = oracles.log_dirichlet_of_logits(np.full(k, 1 / k), alpha)
    assert log_dirichlet_peak(alpha, k) == pytest.approx(expected, abs=1e-12, rel=1e-13)
