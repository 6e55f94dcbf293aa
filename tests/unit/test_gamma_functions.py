"""Gamma functions of compiled code, and the logarithm of a ratio, against 40 digits."""

import numpy as np
import oracles
import pytest

from latentdag.engine.jit import compiled
from latentdag.engine.kernel import functions
from latentdag.engine.kernel.functions import SHIFT
from latentdag.engine.simd import LANES, load, store
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA

ALPHAS = [1e-3, MIN_ALPHA, 0.5, 1, 7, SHIFT - 1e-9, SHIFT, 19.5, 100, 1e5, 1e8, MAX_ALPHA]
NUMBERS = [0, 1e-9, 0.3, 1, 2.5, SHIFT, 10, 480, 1e4, 1e6]
EPSILON = np.finfo(float).eps


@compiled
def gamma_functions(a, n, results):
    """ln of the ratio of gamma functions, psi, and the difference of two psi, (rows, 3, LANES)."""
    for k in range(len(a)):
        x, y = load(a, k), load(n, k)
        ratio, product, psi = functions.log_gamma_ratio(x, y, functions.anchor(x))
        store(results, 3 * k, ratio - functions.log(product))
        store(results, 3 * k + 1, psi)
        difference = functions.digamma_difference(x, y, functions.digamma_anchor(x))
        store(results, 3 * k + 2, difference)


def in_lanes(function, *arguments, results=1):
    """``function`` for every element of some flat arrays of one length, (length, results)."""
    n = len(arguments[0])
    full = np.resize(np.arange(n), (-(-n // LANES), LANES))
    found = np.empty((len(full), results, LANES))
    function(*(np.asarray(x, dtype=float)[full] for x in arguments), found)
    return found.transpose(0, 2, 1).reshape(-1, results)[:n]


@pytest.fixture(scope="module")
def computed():
    a, n = (x.ravel() for x in np.meshgrid(ALPHAS, NUMBERS, indexing="ij"))
    return a, n, in_lanes(gamma_functions, a, n, results=3)


def test_log_gamma_ratio(computed):
    a, n, found = computed
    expected = [oracles.log_gamma_ratio(*both) for both in zip(a, n, strict=True)]
    assert (np.abs(found[:, 0] - expected) < 1e-14 * (1 + np.abs(expected))).all()


def test_digamma(computed):
    a, n, found = computed
    expected = [oracles.digamma(*both) for both in zip(a, n, strict=True)]
    assert (np.abs(found[:, 1] - expected) < 5 * EPSILON * (1 + np.abs(expected))).all()


def test_digamma_difference(computed):
    """Relative to itself for large a, where the two terms agree in most digits."""
    a, n, found = computed
    expected = np.array([oracles.digamma_difference(*both) for both in zip(a, n, strict=True)])
    # rounding of psi's small terms, and where a is small of its recurrence
    small = np.where(a >= SHIFT, EPSILON / a**2, 5 * EPSILON * (1 + 1 / a))
    assert (np.abs(found[:, 2] - expected) <= 5e-15 * np.abs(expected) + small).all()
