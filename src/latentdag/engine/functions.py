"""Elementary functions of vectors, to rounding (a few units in the last place)."""

from math import factorial

from latentdag.engine.jit import compiled
from latentdag.engine.simd import (
    everywhere,
    exponent,
    fma,
    magnitude,
    mantissa,
    nearest,
    power_of_two,
    where,
)

LARGEST = 708.0  # exp is exp(-LARGEST) below -LARGEST, exp(LARGEST) above
LOG2_E = 1.4426950408889634
# ln 2 as a sum; the first has few enough bits for exact products with exponents
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
SQRT2 = 1.4142135623730951
TAYLOR = tuple(1 / factorial(k) for k in range(13, -1, -1))
ATANH = tuple(1 / k for k in range(21, 0, -2))
SHIFT = 8.0  # from here eight terms of the asymptotic series of ln Gamma and psi are exact
# numbers of index 16, 14, ..., 2
BERNOULLI = -3617 / 510, 7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6
# ln Gamma(x) = (x - 1/2) ln x - x + ln(2 pi) / 2 + sum of B_k / (k (k - 1) x^(k - 1))
STIRLING = tuple(b / (k * (k - 1)) for b, k in zip(BERNOULLI, range(16, 0, -2), strict=True))
# psi'(x) = 1 / x + 1 / 2x^2 + sum of B_k / x^(k + 1), and its derivative
BERNOULLI_SLOPES = tuple((k + 1) * b for b, k in zip(BERNOULLI, range(16, 0, -2), strict=True))
# psi(x) = ln x - 1 / 2x - sum of B_k / (k x^k)
PSI = tuple(b / k for b, k in zip(BERNOULLI, range(16, 0, -2), strict=True))


@compiled
def polynomial(coefficients, x):
    """The polynomial in the vector ``x`` (LANES,), by Horner's rule; ``coefficients`` is a tuple,
    that of the highest power first.
    """
    value = everywhere(coefficients[0])
    for c in coefficients[1:]:
        value = fma(value, x, c)
    return value


@compiled
def exp(x):
    """e^x for a vector ``x`` (LANES,), cut off at -LARGEST and LARGEST: 2^k times the Taylor series
    of the remainder, which lies within ln 2 / 2 of 0.
    """
    x = where(x < -LARGEST, -LARGEST, x)
    x = where(x > LARGEST, LARGEST, x)
    k = nearest(x * LOG2_E)
    remainder = fma(k, -LN2_LOW, fma(k, -LN2_HIGH, x))
    return polynomial(TAYLOR, remainder) * power_of_two(k)


@compiled
def log_of(m, e):
    """ln of m 2^e for vectors ``m``, 1 <= m < 2, and ``e``, whole numbers, both (LANES,): by the
    series of 2 artanh((m - 1) / (m + 1)), m near 1.
    """
    large = m > SQRT2
    m = where(large, m * 0.5, m)
    e = where(large, e + 1.0, e)
    s = (m - 1.0) / (m + 1.0)
    log_m = 2.0 * s * polynomial(ATANH, s * s)
    return fma(e, LN2_HIGH, fma(e, LN2_LOW, log_m))


@compiled
def normalised(m, e):
    """A pair of vectors (LANES,), the m and e of the same number m 2^e for which 1 <= m < 2, from a
    vector ``m`` of positive normal numbers and ``e``, whole numbers.
    """
    return mantissa(m), e + exponent(m)


@compiled
def log(x):
    """ln x for a vector ``x`` (LANES,) of positive normal numbers."""
    return log_of(mantissa(x), exponent(x))


@compiled
def log_ratio(a, b, difference):
    """ln(a / b) for vectors ``a`` and ``b`` (LANES,) of positive normal numbers; where they are
    close as exact as ``difference``, a - b, a vector or one number.
    """
    x, y = mantissa(a), mantissa(b)
    e = exponent(a) - exponent(b)
    above, below = x > SQRT2 * y, SQRT2 * x < y
    x = where(above, 0.5 * x, where(below, 2.0 * x, x))
    e = where(above, e + 1.0, where(below, e - 1.0, e))
    near = magnitude(e) < 0.5
    s = where(near, difference, x - y) / where(near, a + b, x + y)
    log_m = 2.0 * s * polynomial(ATANH, s * s)
    return fma(e, LN2_HIGH, fma(e, LN2_LOW, log_m))


@compiled
def lifted(x):
    """Three vectors (LANES,) for a vector ``x`` > 0: X, which is x or, where x is below SHIFT,
    x + SHIFT; the product x (x + 1) ... (X - 1), by which Gamma(X) is divided to give Gamma(x), 1
    where X = x; and the derivative of the product, 0 there.
    """
    small = x < SHIFT
    product, slope = x, everywhere(1.0)
    for k in range(1, SHIFT):
        factor = x + k
        slope = fma(slope, factor, product)
        product = product * factor
    return where(small, x + SHIFT, x), where(small, product, 1.0), where(small, slope, 0.0)


@compiled
def growth_of(a, n):
    """X(a + n) - X(a), as exact as n, for vectors ``a`` > 0 and ``n`` >= 0 (LANES,): X(x) is the
    first vector of `lifted`, x or x + SHIFT.
    """
    return where((a < SHIFT) & (a + n >= SHIFT), n - SHIFT, n)


@compiled
def anchor(a):
    """The tuple of vectors (LANES,) that `log_gamma_ratio` takes as its ``anchor``, for many n at
    one vector ``a`` of positive numbers: X, the first vector of `lifted` a, ln X, and a constant
    that cancels the small terms of ln Gamma(a).
    """
    large, product, _ = lifted(a)
    inverse = 1.0 / large
    constant = log(product) - inverse * polynomial(STIRLING, inverse * inverse)
    return large, log(large), constant


@compiled
def log_gamma_ratio(a, n, anchor):
    """Three vectors for vectors ``a`` > 0 and ``n`` >= 0 (LANES,): a ratio and a product, with
    ln Gamma(a + n) - ln Gamma(a) = ratio - ln product, for many products to share one logarithm;
    and psi(a + n), the digamma function. ``anchor`` is what the function `anchor` gives for a.

    The terms of the asymptotic series, which hold for lifted arguments, are subtracted one by one:
    a difference of two logarithms of Gamma loses every digit when a is large.
    """
    large_a, log_a, constant = anchor
    large, product, slope = lifted(a + n)
    growth = growth_of(a, n)
    log_growth = log_ratio(large, large_a, growth)
    both = 1.0 / (large * product)
    inverse = product * both
    square = inverse * inverse
    ratio = fma(large - 0.5, log_growth, growth * (log_a - 1.0)) + constant
    ratio = fma(inverse, polynomial(STIRLING, square), ratio)
    psi = (log_a + log_growth) - inverse * fma(inverse, polynomial(PSI, square), 0.5)
    return ratio, product, psi - slope * large * both


@compiled
def digamma_anchor(a):
    """The pair of vectors that `digamma_difference` takes as its ``anchor``, for many n at one
    vector ``a`` of positive numbers, one in each lane: X, the first vector of `lifted` a, and ln X
    - 1 / (2 X) - psi(a), the large terms less psi(a).
    """
    large, product, slope = lifted(a)
    square = 1.0 / (large * large)
    return large, square * polynomial(PSI, square) + slope / product


@compiled
def digamma_difference(a, n, anchor):
    """psi(a + n) - psi(a), psi the digamma function, for vectors ``a`` > 0 and ``n`` >= 0 (LANES,);
    ``anchor`` is what `digamma_anchor` gives for a. The large terms of the asymptotic series, ln x
    - 1 / 2x, are subtracted apart from the rest, so that no digit is lost where a is large.
    """
    large_a, rest = anchor
    large, product, slope = lifted(a + n)
    growth = growth_of(a, n)
    square = 1.0 / (large * large)
    rest = rest - (square * polynomial(PSI, square) + slope / product)
    return log_ratio(large, large_a, growth) + (0.5 * growth / (large * large_a) + rest)


@compiled
def trigamma_and_derivative(x):
    """The vectors psi'(x) and psi''(x), psi the digamma function, for a vector ``x`` > 0 (LANES,):
    their asymptotic series at x or, below SHIFT, x + SHIFT.
    """
    small, first, second = x < SHIFT, everywhere(0.0), everywhere(0.0)
    for k in range(SHIFT):
        inverse = 1.0 / (x + k)
        square = inverse * inverse
        first, second = first + square, fma(square * inverse, -2.0, second)
    inverse = 1.0 / where(small, x + SHIFT, x)
    square = inverse * inverse
    trigamma = fma(inverse, square * polynomial(BERNOULLI, square), fma(square, 0.5, inverse))
    slope = 0.0 - square * (1.0 + inverse + square * polynomial(BERNOULLI_SLOPES, square))
    return where(small, trigamma + first, trigamma), where(small, slope + second, slope)
