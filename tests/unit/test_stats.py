"""Averages of importance weights against sums done by hand."""

from math import log, sqrt

import numpy as np
import pytest

from latentdag.stats import log_mean_exp


def test_mean_of_three_by_hand():
    estimate, error = log_mean_exp(np.log([1.0, 2.0, 3.0]) - 5000)
    assert estimate == pytest.approx(log(2) - 5000, abs=1e-11)
    # leave one out: means 5/2, 2, 3/2
    without = np.log([2.5, 2.0, 1.5])
    assert error == pytest.approx(sqrt(2 / 3 * np.sum((without - without.mean()) ** 2)), abs=1e-10)


def test_jackknife_of_two_is_half_their_distance():
    assert log_mean_exp([-7.25, -3.0])[1] == pytest.approx(4.25 / 2, rel=1e-14)


def test_jackknife_of_four_by_hand():
    """Weights 1, 1, 1, 5: without one of the first the mean is 7/3, without the last 1.

    The deviations of their logarithms from the mean are a/4 three times and -3a/4, a = ln(7/3).
    """
    a = log(7 / 3)
    found = log_mean_exp(np.log([1.0, 1.0, 5.0, 1.0]))
    assert found[0] == pytest.approx(log(2), rel=1e-14)
    assert found[1] == pytest.approx(sqrt(3 / 4 * (3 / 16 + 9 / 16) * a**2), rel=1e-13)
    assert found[1] == pytest.approx(0.75 * a, rel=1e-13)


def test_jackknife_of_twelve_by_hand():
    """Eleven weights 1 and one 12: means 22/11 without a 1, and 1 without the 12."""
    found = log_mean_exp(np.log([1.0] * 6 + [12.0] + [1.0] * 5))
    assert found[0] == pytest.approx(log(23 / 12), rel=1e-13)
    squares = 11 * (1 / 12) ** 2 + (11 / 12) ** 2
    assert found[1] == pytest.approx(sqrt(11 / 12 * squares) * log(2), rel=1e-13)


@pytest.mark.parametrize("k", [2, 3, 4, 9, 12])
def test_jackknife_formula_on_random_weights(k):
    w = np.random.default_rng(k).normal(-2400, 2, size=k)
    estimate, error = log_mean_exp(w)
    scaled = np.exp(w - w.max())
    assert estimate == pytest.approx(np.log(scaled.mean()) + w.max(), rel=1e-14)
    without = np.log([(scaled.sum() - x) / (k - 1) for x in scaled])
    assert error == pytest.approx(
        sqrt((k - 1) / k * np.sum((without - without.mean()) ** 2)), rel=1e-9
    )


def test_jackknife_of_nearly_equal_weights_is_that_of_a_mean():
    """To first order: the standard deviation of the logarithms over sqrt(K)."""
    w = 1e-5 * np.random.default_rng(5).normal(size=12)
    assert log_mean_exp(w)[1] == pytest.approx(w.std(ddof=1) / sqrt(12), rel=1e-4)


def test_the_error_says_when_all_rests_on_one_chain():
    """The delta method never claims more than 1 nat here."""
    assert log_mean_exp(np.array([0.0, -20, -20, -20]))[1] > 8


def test_one_weight_has_no_standard_error():
    estimate, error = log_mean_exp([-12.5])
    assert estimate == -12.5
    assert np.isnan(error)
    estimates, errors = log_mean_exp([[-12.5, 3.0]])
    assert estimates.tolist() == [-12.5, 3.0]
    assert np.isnan(errors).all() and errors.shape == (2,)


def test_equal_weights_have_no_error():
    assert log_mean_exp([-3.0] * 5) == (pytest.approx(-3), pytest.approx(0, abs=1e-12))


@pytest.mark.parametrize("k", [2, 5, 12, 20])
def test_columns_are_means_of_their_own_in_any_order_to_the_bit(k):
    rng = np.random.default_rng(1)
    weights = rng.normal(-3000, 3, size=(k, 4))
    estimates, errors = log_mean_exp(weights)
    assert estimates.shape == errors.shape == (4,)
    for column, estimate, error in zip(weights.T, estimates, errors, strict=True):
        assert log_mean_exp(column) == (estimate, error)
        assert log_mean_exp(column[::-1]) == (estimate, error)
        assert log_mean_exp(rng.permutation(column)) == (estimate, error)
    again = log_mean_exp(rng.permuted(weights, axis=0))
    assert again[0].tolist() == estimates.tolist() and again[1].tolist() == errors.tolist()
