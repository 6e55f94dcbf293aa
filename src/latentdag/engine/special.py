"""Ratios of gamma functions, as accurate for large arguments as for small ones."""

import numpy as np
import scipy  # loads scipy.special when it is first used: that takes a fifth of a second

STIRLING_FROM = 20.0  # from here four terms of Stirling's series are exact to rounding


def log_gamma_ratio(a: np.ndarray, n: np.ndarray) -> np.ndarray:
    """ln Gamma(a + n) - ln Gamma(a), elementwise, for arrays ``a`` > 0 and ``n`` >= 0.

    As a difference it loses every digit when a is large: at a = 1e12 both terms are 2.7e13. There
    the large parts of Stirling's series are subtracted by hand.
    """
    ratio = scipy.special.gammaln(a + n) - scipy.special.gammaln(a)
    large = np.greater_equal(a, STIRLING_FROM)
    if large.any():
        stirling = n * np.log(a) + (a + n - 0.5) * np.log1p(n / a) - n
        stirling += _remainder(a + n) - _remainder(a)
        ratio = np.where(large, stirling, ratio)
    return ratio


def log_dirichlet_peak(alpha: np.ndarray, k: np.ndarray) -> np.ndarray:
    """ln density, at its mode, of the logits of a row of ``k`` values under Dirichlet(alpha, ...,
    alpha), elementwise for ``alpha`` and ``k``, arrays or numbers. That density is prod theta^alpha
    / B(alpha), B the multivariate beta function, one logit held fixed; its mode is theta = 1 / k.
    """
    smooth = k / 2 * np.log(alpha) - np.log(k * alpha) / 2 - (k - 1) / 2 * np.log(2 * np.pi)
    return smooth - k * _remainder(alpha) + _remainder(k * alpha)


def _remainder(x: np.ndarray) -> np.ndarray:
    """ln Gamma(x) less the large terms of Stirling's series, (x - 1/2) ln x - x + ln(2 pi) / 2."""
    plain = scipy.special.gammaln(x) - (x - 0.5) * np.log(x) + x - np.log(2 * np.pi) / 2
    square = np.square(1 / x)
    series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x
    return np.where(np.greater_equal(x, STIRLING_FROM), series, plain)
