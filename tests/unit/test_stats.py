"""Averages of importance weights against sums done by hand."""

import numpy as np
import pytest

from latentdag.engine.log_mean import log_mean_exp


@pytest.mark.parametrize("k", [1, 2, 5, 16])
def test_the_mean_of_weights_and_its_error(k):
    """Of weights beyond the range of numbers, in any order to the bit."""
    logs = np.random.default_rng(k).normal(size=k)
    w = np.exp(logs)
    estimate, error = found = log_mean_exp(logs - 5000)
    assert estimate == pytest.approx(np.log(w.mean()) - 5000, abs=1e-11)
    if k > 1:
        worth = w.sum() ** 2 / (w**2).sum()  # in equal weights
        variance = np.sum((logs - logs.mean()) ** 2) / (k - 1)
        assert error == pytest.approx(np.sqrt(variance / worth), abs=1e-10)
        assert log_mean_exp((logs - 5000)[::-1]) == found
    else:
        assert np.isnan(error)
