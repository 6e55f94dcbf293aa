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


@njit
def both_vectors(f, a, b, out):
    f(load(a, 0), load(b, 0), out)


@njit
def vector_and_number(f, a, b, out):
    f(load(a, 0), b, out)


@njit
def number_and_vector(f, a, b, out):
    f(a, load(b, 0), out)


@njit
def one_vector(f, a, out):
    store(out, 0, f(load(a, 0)))


def alike(found, expected):
    """The same bits; any nan for nan."""
    same = found.view(np.uint64) == expected.view(np.uint64)
    return np.all(same | (np.isnan(found) & np.isnan(expected)))


def check_pairs(f, operations, first, second):
    """``f`` stores each operation on a pair in a row of its own. A single number, on either side,
    stands for that number in all lanes.
    """
    out = np.empty((len(operations), LANES), dtype=first.dtype)
    for call, a, b in (
        (both_vectors, first, second),
        (vector_and_number, first, second[0]),
        (number_and_vector, first[0], second),
    ):
        shown = [x[None] if np.ndim(x) else x for x in (a, b)]
        call(f, *shown, out)
        for row, operation in zip(out, operations, strict=True):
            assert alike(row, np.broadcast_to(operation(a, b), LANES).astype(first.dtype))


@njit
def on_reals(a, b, out):
    store(out, 0, a + b)
    store(out, 1, a - b)
    store(out, 2, a * b)
    store(out, 3, a / b)
    store(out, 4, where(a < b, everywhere(1.0), 0.0))
    store(out, 5, where(a > b, 1.0, everywhere(0.0)))
    store(out, 6, where(a >= b, everywhere(1.0), 0.0))
    store(out, 7, where((a < b) & (a + b > 1), everywhere(1.0), 0.0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_on_reals():
    operations = [np.add, np.subtract, np.multiply, np.divide, np.less, np.greater]
    operations += [np.greater_equal, lambda a, b: (a < b) & (a + b > 1)]
    for shift in range(LANES):
        check_pairs(on_reals, operations, REALS, np.roll(REALS, shift))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("f", "operation"),
    [
        (njit(lambda x: vector.square_root(x)), np.sqrt),
        (njit(lambda x: vector.nearest(x)), np.rint),
        (njit(lambda x: vector.magnitude(x)), np.abs),
    ],
    ids=["square_root", "nearest", "magnitude"],
)
def test_functions_of_one_vector(f, operation):
    out = np.empty((1, LANES))
    for x in (REALS, np.resize([0.5, 1.5, -0.5, -2.5, 1e17, -3.3], LANES)):
        one_vector(f, x[None], out)
        assert alike(out[0], operation(x))


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
