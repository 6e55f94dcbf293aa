"""Functions of compiled code and of NumPy against decimal arithmetic, over all that they take."""

from decimal import Decimal, localcontext
from math import inf, nan

import numpy as np
import oracles
import pytest

from latentdag.engine import special
from latentdag.engine.jit import compiled
from latentdag.engine.kernel import functions
from latentdag.engine.kernel.functions import SHIFT
from latentdag.engine.simd import LANES, load, store
from latentdag.engine.special import STIRLING_FROM
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA

TINY, HUGE, EPSILON = np.finfo(float).tiny, np.finfo(float).max, np.finfo(float).eps
ENDS = [1e-3, MIN_ALPHA, 0.5, 1, 7, 19.5, 100, 1e5, 1e8, MAX_ALPHA]
ALPHAS = [*ENDS, SHIFT - 1e-9, SHIFT, STIRLING_FROM - 1e-9, STIRLING_FROM]
NUMBERS = [0, 1e-9, 0.3, 1, 2.5, SHIFT, 10, 480, 1e4, 1e6]


@compiled
def exp(x, results):
    for k in range(len(x)):
        store(results, k, functions.exp(load(x, k)))


@compiled
def log(x, results):
    for k in range(len(x)):
        store(results, k, functions.log(load(x, k)))


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
    """``function`` of every element of some flat arrays of one length, (results, length)."""
    n = len(arguments[0])
    full = np.resize(np.arange(n), (-(-n // LANES), LANES))
    found = np.empty((len(full), results, LANES))
    function(*(np.asarray(x, dtype=float)[full] for x in arguments), found)
    return found.transpose(1, 0, 2).reshape(results, -1)[:, :n]


def units_off(function, name, x):
    """Errors in units of the last place of the result."""
    with localcontext() as context:
        context.prec = 50
        exact = [getattr(Decimal(float(v)), name)() for v in x]
        off = [
            abs(Decimal(float(y)) - z) / Decimal(float(np.spacing(abs(float(z)))))
            for y, z in zip(in_lanes(function, x)[0], exact, strict=True)
        ]
        return max(off)


def test_exp():
    rng = np.random.default_rng(0)
    half = np.log(2) / 2 * np.arange(-9, 10)  # where the nearest power of two changes
    x = np.concatenate(
        [
            rng.uniform(-708, 708, 2000),
            rng.normal(size=2000),
            rng.choice([-1, 1], 500) * 10.0 ** rng.uniform(-320, 0, 500),
            *(np.nextafter(half, end) for end in (-inf, inf)),
            [0.0, -0.0, 708.0, -708.0, 5e-324],
        ]
    )
    assert units_off(exp, "exp", x) < 1.5


def test_exp_beyond_its_range_is_that_at_its_end():
    ends = in_lanes(exp, np.array([-708.0, 708.0]))[0]
    assert (in_lanes(exp, np.array([-708.1, -1e4, -HUGE, -inf])) == ends[0]).all()
    assert (in_lanes(exp, np.array([708.1, 1e4, HUGE, inf])) == ends[1]).all()
    assert ends[0] >= TINY and ends[1] < inf
    assert np.isnan(in_lanes(exp, np.array([nan]))).all()


def test_log():
    rng = np.random.default_rng(1)
    powers = 2.0 ** np.arange(-1022, 1024, 31)
    x = np.concatenate(
        [
            np.exp(rng.uniform(-708, 709, 2000)),
            rng.uniform(size=2000),
            1 + rng.choice([-1, 1], 2000) * 10.0 ** rng.uniform(-15.5, -0.5, 2000),
            *(np.nextafter(np.sqrt(2) * np.array([0.25, 0.5, 1, 2]), end) for end in (-inf, inf)),
            np.nextafter(powers[1:], 0),
            powers,
            [TINY, HUGE, np.nextafter(1, 0), np.nextafter(1, 2)],
        ]
    )
    assert units_off(log, "ln", x[x != 1]) < 2.5
    assert (in_lanes(log, np.ones(3)) == 0).all()


def test_gamma_functions():
    """Of large a the difference of two psi is right relative to itself, where these agree in most
    digits.
    """
    a, n = (x.ravel() for x in np.meshgrid(ALPHAS, NUMBERS, indexing="ij"))
    log_ratio, psi, difference = in_lanes(gamma_functions, a, n, results=3)
    exact_ratio, exact_psi, exact_difference = (
        np.array([exact(*both) for both in zip(a, n, strict=True)])
        for exact in (oracles.log_gamma_ratio, oracles.digamma, oracles.digamma_difference)
    )
    for found, tolerance in (
        (log_ratio, 1e-14),
        (special.log_gamma_ratio(a, n), 2e-14),  # of small and large arguments in one array
    ):
        assert (np.abs(found - exact_ratio) < tolerance * (1 + np.abs(exact_ratio))).all()
    assert (np.abs(psi - exact_psi) < 5 * EPSILON * (1 + np.abs(exact_psi))).all()
    # rounding of psi's small terms, and where a is small of its recurrence
    small = np.where(a >= SHIFT, EPSILON / a**2, 5 * EPSILON * (1 + 1 / a))
    assert (np.abs(difference - exact_difference) <= 5e-15 * np.abs(exact_difference) + small).all()


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("k", [2, 5, 17])
def test_log_dirichlet_peak(alpha, k):
    expected = oracles.log_dirichlet_of_logits(np.full(k, 1 / k), alpha)
    assert special.log_dirichlet_peak(alpha, k) == pytest.approx(expected, abs=1e-12, rel=1e-13)
