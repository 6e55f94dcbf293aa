"""Vectors, functions of compiled code and of NumPy against decimal arithmetic over all that they
take, random streams, and averages of importance weights.
"""

import hashlib
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import islice
from math import inf, nan

import numpy as np
import oracles
import pytest
from numba import njit

from latentdag.engine import functions, simd, special
from latentdag.engine import simd as vector
from latentdag.engine.functions import SHIFT
from latentdag.engine.jit import compiled
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.simd import LANES, everywhere, load, store, where
from latentdag.engine.special import STIRLING_FROM
from latentdag.engine.streams import generator
from latentdag.inference.ais import walk
from latentdag.inference.particles import loops
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA

FINITE = [0.0, -0.0, 1.0, -1.5, 5e-324, -2.2e-308, 1.7e308, 3.0, 0.1, -1e-300, 2.0**52, 1 / 3]
REALS = np.array([*FINITE, inf, -inf, nan, 1.0])
HALVES = np.resize([0.5, 1.5, -0.5, -2.5, 1e17, -3.3], LANES)


def alike(values, expected):
    """The same bits; any nan for nan."""
    same = values.view(np.uint64) == expected.view(np.uint64)
    return np.all(same | (np.isnan(values) & np.isnan(expected)))


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
@pytest.mark.parametrize("a", [REALS, HALVES], ids=str)
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
    values = np.empty((len(full), results, LANES))
    function(*(np.asarray(x, dtype=float)[full] for x in arguments), values)
    return values.transpose(1, 0, 2).reshape(results, -1)[:, :n]


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
    """Where two psi agree in most digits their difference is right relative to itself."""
    a, n = (x.ravel() for x in np.meshgrid(ALPHAS, NUMBERS, indexing="ij"))
    log_ratio, psi, difference = in_lanes(gamma_functions, a, n, results=3)
    exact_ratio, exact_psi, exact_difference = (
        np.array([exact(*both) for both in zip(a, n, strict=True)])
        for exact in (oracles.log_gamma_ratio, oracles.digamma, oracles.digamma_difference)
    )
    for values, tolerance in (
        (log_ratio, 1e-14),
        (special.log_gamma_ratio(a, n), 2e-14),  # of small and large arguments in one array
    ):
        assert (np.abs(values - exact_ratio) < tolerance * (1 + np.abs(exact_ratio))).all()
    assert (np.abs(psi - exact_psi) < 5 * EPSILON * (1 + np.abs(exact_psi))).all()
    # rounding of psi's small terms, and where a is small of its recurrence
    small = np.where(a >= SHIFT, EPSILON / a**2, 5 * EPSILON * (1 + 1 / a))
    assert (np.abs(difference - exact_difference) <= 5e-15 * np.abs(exact_difference) + small).all()


@pytest.mark.parametrize("seed", [0, 2003, 2**32 - 1, 2**32, 2**64 + 5])
def test_the_seed_and_the_digest_of_the_key_are_the_entropy(seed):
    """Every part of the key counts."""
    digest = np.frombuffer(hashlib.sha256(b"ais/0/480/1-12-12-2/3").digest(), "<u4").tolist()
    expected = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *digest])))
    assert (generator(seed, "ais", 0, 480, "1-12-12-2", 3).random(5) == expected.random(5)).all()


@njit
def many_words(streams, out):
    for row in range(len(out)):
        simd.store(out, row, walk.random_words(streams))


@njit
def many_bits(streams, out):
    for row in range(len(out)):
        simd.store_wide(out, row, loops._random_bits(streams))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiled", "plain", "n_bits", "shift", "published"),
    [
        (many_words, oracles.random_words, 64, 0, [41943041, 58720359, 3588806011781223]),
        (many_bits, oracles.random_words_of_32_bits, 32, 8, [5, 12295, 25178119, 27286542]),
    ],
    ids=["xoshiro256++", "xoshiro128+, the upper 24 bits"],
)
def test_random_words(compiled, plain, n_bits, shift, published):
    """Other programs' numbers from the state 1, 2, 3, 4; in every lane those of its own state."""
    kind = np.dtype(f"u{n_bits // 8}")
    lanes = simd.LANES if n_bits == 64 else simd.WIDE
    states = np.random.default_rng(5).integers(2**n_bits, size=(4, lanes), dtype=kind)
    states[:, 3] = 1, 2, 3, 4
    expected = np.array([list(islice(plain(s), 999)) for s in states.T], dtype=kind)
    assert expected[3, : len(published)].tolist() == published
    words = np.empty((999, lanes), dtype=np.uint64 if n_bits == 64 else np.int32)
    compiled(states, words)
    assert (words == expected.T >> shift).all()


@pytest.mark.parametrize("k", [1, 2, 5, 16])
def test_the_mean_of_weights_and_its_error(k):
    """Of weights beyond the range of numbers, in any order to the bit."""
    logs = np.random.default_rng(k).normal(size=k)
    w = np.exp(logs)
    estimate, error = pair = log_mean_exp(logs - 5000)
    assert estimate == pytest.approx(np.log(w.mean()) - 5000, abs=1e-11)
    if k > 1:
        worth = w.sum() ** 2 / (w**2).sum()  # in equal weights
        variance = np.sum((logs - logs.mean()) ** 2) / (k - 1)
        assert error == pytest.approx(np.sqrt(variance / worth), abs=1e-10)
        assert log_mean_exp((logs - 5000)[::-1]) == pair
    else:
        assert np.isnan(error)
