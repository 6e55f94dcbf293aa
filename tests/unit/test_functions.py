"""exp and ln of compiled code against decimal arithmetic, over all numbers that they take."""

from decimal import Decimal, localcontext
from math import inf, nan

import numpy as np
from numba import njit

from latentdag.engine.kernel import functions
from latentdag.engine.simd import LANES, load, store

TINY, HUGE = np.finfo(float).tiny, np.finfo(float).max


@njit
def each(f, x, out):
    for row in range(len(x)):
        store(out, row, f(load(x, row)))


def values(f, x):
    """f of every number in ``x``, shape (C,)."""
    rows = np.resize(x, (-(-len(x) // LANES), LANES)).astype(float)
    out = np.empty_like(rows)
    each(f, rows, out)
    return out.ravel()[: len(x)]


def errors(found, x, name):
    """In units of the last place of the result."""
    with localcontext() as context:
        context.prec = 50
        exact = [getattr(Decimal(float(v)), name)() for v in x]
        return np.array(
            [
                float(abs(Decimal(float(y)) - z) / Decimal(float(np.spacing(abs(float(z))))))
                for y, z in zip(found, exact, strict=True)
            ]
        )


exp, log = njit(lambda x: functions.exp(x)), njit(lambda x: functions.log(x))


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
    assert errors(values(exp, x), x, "exp").max() < 1.5


def test_exp_beyond_its_range_is_that_at_its_end():
    ends = values(exp, np.array([-708.0, 708.0]))
    assert (values(exp, np.array([-708.1, -1e4, -HUGE, -inf])) == ends[0]).all()
    assert (values(exp, np.array([708.1, 1e4, HUGE, inf])) == ends[1]).all()
    assert ends[0] >= TINY and ends[1] < inf
    assert np.isnan(values(exp, np.array([nan]))).all()


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
    assert errors(values(log, x[x != 1]), x[x != 1], "ln").max() < 2.5
    assert (values(log, np.ones(3)) == 0).all()
