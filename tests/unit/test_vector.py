"""The vectors of compiled code against NumPy, lane by lane and to the bit."""

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from numba import njit

from latentdag.engine import simd as vector
from latentdag.engine.simd import LANES, everywhere, load, store, where

FINITE = [0.0, -0.0, 1.0, -1.5, 5e-324, -2.2e-308, 1.7e308, 3.0, 0.1, -1e-300, 2.0**52, 1 / 3]
REALS = np.array([*FINITE, inf, -inf, nan, 1.0])
HALVES = np.resize([0.5, 1.5, -0.5, -2.5, 1e17, -3.3], LANES)


def alike(found, expected):
    """The same bits; any nan for nan."""
    same = found.view(np.uint64) == expected.view(np.uint64)
    return np.all(same | (np.isnan(found) & np.isnan(expected)))


@njit
def operators(first, second, out):
    """A single number, on either side, stands for that number in all lanes."""
    a, b = load(first, 0), load(second, 0)
    store(out, 0, a + b)
    store(out, 1, a - b)
    store(out, 2, a * b)
    store(out, 3, a / b)
    store(out, 4, where(a < b, everywhere(1.0), 0.0))
    store(out, 5, where(a > b, 1.0, everywhere(0.0)))
    store(out, 6, where(a >= b, everywhere(1.0), 0.0))
    store(out, 7, where((a < b) & (a + b > 1), everywhere(1.0), 0.0))
    store(out, 8, 0.1 - a)
    store(out, 9, a - 0.1)
    store(out, 10, vector.square_root(a))
    store(out, 11, vector.nearest(a))
    store(out, 12, vector.magnitude(a))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "a", [REALS, np.resize([0.5, 1.5, -0.5, -2.5, 1e17, -3.3], LANES)], ids=str
)
def test_operators(a):
    for shift in range(LANES):
        b, out = np.roll(REALS, shift), np.empty((13, LANES))
        operators(a[None], b[None], out)
        of_both = [a + b, a - b, a * b, a / b, a < b, a > b, a >= b, (a < b) & (a + b > 1)]
        expected = [*of_both, 0.1 - a, a - 0.1, np.sqrt(a), np.rint(a), np.abs(a)]
        assert all(map(alike, out, np.array(expected, dtype=float)))


@njit
def multiply_and_add(a, b, c, out):
    store(out, 0, vector.fma(load(a, 0), load(b, 0), load(c, 0)))
    store(out, 1, vector.fma(load(a, 0), 0.1, load(c, 0)))
    store(out, 2, vector.fma(load(a, 0), load(b, 0), -1.0))


def test_fma_rounds_once():
    rng = np.random.default_rng(3)
    a, b, out = *rng.normal(size=(2, 1, LANES)), np.empty((3, LANES))
    c = -a * b + rng.normal(size=(1, LANES)) * 1e-16  # nearly all cancels
    multiply_and_add(a, b, c, out)

    def exact(a, b, c):
        return float(Fraction(a) * Fraction(b) + Fraction(c))

    for lane, (x, y, z) in enumerate(zip(a[0], b[0], c[0], strict=True)):
        assert out[:, lane].tolist() == [exact(x, y, z), exact(x, 0.1, z), exact(x, y, -1.0)]
    assert (out[0] != a * b + c).any()
