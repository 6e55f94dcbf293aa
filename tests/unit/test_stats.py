"""Averages of importance weights against sums done by hand."""

from math import log, sqrt

import numpy as np
import pytest

from latentdag.engine.log_mean import log_mean_exp


def test_mean_of_three_by_hand():
    estimate, error = log_mean_exp(np.log([1.0, 2.0, 3.0]) - 5000)
    assert estimate == pytest.approx(log(2) - 5000, abs=1e-11)
    logs = np.log([1.0, 2.0, 3.0])
    variance = np.sum((logs - logs.mean()) ** 2) / 2
    # as much as 36 / 14 equal weights
    assert error == pytest.approx(sqrt(variance * 14 / 36), abs=1e-10)


def test_one_chain_has_no_standard_error_and_equal_ones_have_none_to_speak_of():
    estimate, error = log_mean_exp([-12.5])
    assert estimate == -12.5 and np.isnan(error)
    assert log_mean_exp([-3.0] * 5) == (pytest.approx(-3), 0)


@pytest.mark.parametrize("k", [2, 5, 16])
def test_chains_may_come_in_any_order_to_the_bit(k):
    rng = np.random.default_rng(k)
    w = rng.normal(-3000, 3, size=k)
    assert log_mean_exp(w) == log_mean_exp(w[::-1]) == log_mean_exp(rng.permutation(w))
