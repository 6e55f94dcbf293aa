"""The compiled E-step: cell probabilities, ln likelihood and expected counts, lane by lane.

With the observed variables in two halves, A[u, h] is p(h) times the product of the weights of the
left half's values u in joint hidden state h, and B[v, h] that of the right half's values v. Then

    P(u, v) = sum over h of A[u, h] B[v, h]                    probability of a cell
    ln p(y given theta) = sum over cells of count ln P         ln likelihood
    count A[u, h] B[v, h] / P(u, v)                            expected completions of a cell

Only cells that occur are visited, and only halves of such cells. Cells of one count stand together,
in groups: the logarithm of their product is taken once, from the product of the mantissas and the
sum of the exponents of P. Where every lane has data of its own, counts differ within a cell; then
there is a product for each binary digit of the counts, of the P whose count has this digit.
Expected counts alone need no logarithm: there cells of one left half stand together, so that what
belongs to it stays at hand.

A product of many weights leaves the range of doubles. Where there are many variables the left half
has all of them and the right half none, and A[u, h] is *scaled*: it is the exponential of a sum of
logarithms less the largest such sum over h. That largest sum is added to ln P, and cancels in the
expected counts.
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.functions import exp, log, log_of
from latentdag.engine.jit import compiled, inlined
from latentdag.engine.simd import (
    LANES,
    everywhere,
    exponent,
    fma,
    load,
    mantissa,
    reals_of,
    store,
    vectors,
    where,
)

SMALLEST = np.finfo(float).tiny  # a smaller P is 0
BESIDE = 128  # factors of a half that are visited for all halves in turn: their weights stay near


class Cells(NamedTuple):
    """The cells that occur, N of them in G groups, as the loops read them: in all lanes, or in any
    lane where each has data of its own.

    ``left[h, u]`` are the rows of the weights whose product is A[u, h]: what the weights' rows are,
    slots of the kernel or parameters of one structure, is up to the caller. A missing value has a
    negative number in place of a row: it multiplies nothing, and no count is its own.
    """

    left: np.ndarray  # (H, U, factors)
    right: np.ndarray  # (H, V, factors)
    halves: np.ndarray  # (N, 2): u and v of each cell
    groups: np.ndarray  # (G, 2): the first cell and the one after the last
    counts: np.ndarray  # (G,): of each cell in the group; or by lane, (N, LANES), uint64
    digits: np.ndarray  # (N,): binary digits of the largest of a cell's counts by lane; or (0,)
    scaled: bool  # whether the left half has all variables, and A is scaled


class Rows(NamedTuple):
    """The cells that occur, N of them, by their left halves, of which there are U."""

    first: np.ndarray  # (U + 1,): the first cell of each left half, and N
    right: np.ndarray  # (N,): the right half of each cell
    counts: np.ndarray  # (N,): of each cell


def rows_of(cells: Cells) -> Rows:
    """`Rows`: the N cells of ``cells``, a `Cells`, sorted by left half and then by right half. All
    lanes must share the counts: ``cells.counts`` is (G,).
    """
    left, right = cells.halves.T
    order = np.lexsort((right, left))
    counts = np.repeat(cells.counts, np.diff(cells.groups, axis=1)[:, 0])
    first = np.searchsorted(left[order], np.arange(cells.left.shape[1] + 1))
    return Rows(first, np.ascontiguousarray(right[order]), counts[order])


class Scratch(NamedTuple):
    """Arrays that the loops work in."""

    left: np.ndarray  # (U, H, LANES): A
    right: np.ndarray  # (V, H, LANES): B
    left_counts: np.ndarray  # (U, H, LANES): expected completions, over A
    right_counts: np.ndarray  # (V, H, LANES): the same over B
    log_scale: np.ndarray  # (U, LANES): what a scaled A is divided by, nats; else (0, LANES)
    log_weights: np.ndarray  # (rows, LANES) where A is scaled; else (0, LANES)


@compiled
def scratch_for(cells):
    """New `Scratch` arrays of zeros, of the sizes that ``cells``, a `Cells`, needs: for
    `log_likelihood`, `expected_counts` and mean-field VB.
    """
    n_states, n_left, n_right = cells.left.shape[0], cells.left.shape[1], cells.right.shape[1]
    left, right = vectors(n_left, n_states), vectors(n_right, n_states)
    left_counts, right_counts = vectors(n_left, n_states), vectors(n_right, n_states)
    n_scales, n_rows = (n_left, cells.left.max() + 1) if cells.scaled else (0, 0)
    return Scratch(left, right, left_counts, right_counts, vectors(n_scales), vectors(n_rows))


@inlined
def multiply(weights, factors, products):
    """Put the product over k of the ``weights`` (rows, LANES) in the rows ``factors[h, u, k]`` into
    ``products[u, h]``. ``factors`` is (H, U, factors), where a negative row multiplies nothing;
    ``products`` is (U, H, LANES).
    """
    n_states, n_cells, n_factors = factors.shape
    for u in range(n_cells):
        for h in range(n_states):
            product = everywhere(1.0)
            for k in range(n_factors):
                if factors[h, u, k] >= 0:
                    product = product * load(weights, factors[h, u, k])
            store(products, u * n_states + h, product)


@compiled
def multiply_scaled(weights, factors, scratch):
    """Into ``scratch.left`` (U, H, LANES) A[u, h]: the product over k of the ``weights`` (rows,
    LANES) in the rows ``factors[h, u, k]``, but for negative ones, divided by the largest such
    product of any h; into ``scratch.log_scale`` (U, LANES) ln of the largest, in nats. A weight
    below the smallest normal number counts as that number. One that is infinite or not a number
    makes every product of its lane not a number.
    """
    n_states, n_cells, n_factors = factors.shape
    nothing = everywhere(0.0)
    for row in range(len(scratch.log_weights)):
        weight = load(weights, row)
        nothing = nothing + weight * 0.0
        store(scratch.log_weights, row, log(where(weight < SMALLEST, SMALLEST, weight)))
    scratch.left[:] = 0.0
    for first in range(0, n_factors, BESIDE):
        for u in range(n_cells):
            for h in range(n_states):
                total = load(scratch.left, u * n_states + h)
                for k in range(first, min(first + BESIDE, n_factors)):
                    if factors[h, u, k] >= 0:
                        total = total + load(scratch.log_weights, factors[h, u, k])
                store(scratch.left, u * n_states + h, total)
    for u in range(n_cells):
        largest = everywhere(-np.inf)
        for h in range(u * n_states, (u + 1) * n_states):
            total = load(scratch.left, h)
            largest = where(total > largest, total, largest)
        store(scratch.log_scale, u, largest)
        for h in range(u * n_states, (u + 1) * n_states):
            store(scratch.left, h, exp(load(scratch.left, h) - largest) + nothing)


@inlined
def multiply_halves(weights, cells, scratch):
    """Put the products of the ``weights`` (rows, LANES) of each half of ``cells``, a `Cells`, in
    each joint hidden state into ``scratch``: those of the left halves into ``scratch.left``, as
    `multiply_scaled` has them where ``cells.scaled`` is set; of the right ones into
    ``scratch.right``.
    """
    if cells.scaled:
        multiply_scaled(weights, cells.left, scratch)
    else:
        multiply(weights, cells.left, scratch.left)
    multiply(weights, cells.right, scratch.right)


@inlined
def log_likelihood(weights, cells, scratch):
    """ln p(y given theta) by lane, in nats, for ``weights`` (rows, LANES) and the `Cells`
    ``cells``: -inf where a cell that occurs has probability 0, nan where one is infinite or not a
    number. Where each lane has data of its own, no bit of its likelihood depends on those of
    others. Leaves the products of the halves in ``scratch``, which `scratch_for` made.
    """
    multiply_halves(weights, cells, scratch)
    return sum_over(cells.counts, cells, scratch)


@inlined
def sum_over(counts, cells, scratch):
    """The sum over the cells of count ln P by lane, in nats, P from the products in ``scratch``.
    ``counts`` are ``cells.counts``; numba picks the branch by their shape, (G,) where all lanes
    share them or (N, LANES).
    """
    if counts.ndim == 2:
        return sum_by_digits(cells, scratch)
    return sum_by_groups(cells, scratch, False)


@compiled
def sum_by_digits(cells, scratch):
    """The sum over the cells of count ln P by lane, in nats, for ``cells.counts`` (N, LANES), P
    from the products in ``scratch``. Where a cell does not occur in a lane it multiplies by 1, and
    exponents are integers: what other lanes have changes no bit.
    """
    n_states, n_digits = cells.left.shape[0], cells.digits.max()
    products = vectors(n_digits)
    products[:] = 1.0
    e, smallest, total = everywhere(0.0), everywhere(1.0), everywhere(0.0)
    value = everywhere(0.0)
    for g in range(len(cells.groups)):
        for c in range(cells.groups[g, 0], cells.groups[g, 1]):
            u, v = cells.halves[c, 0] * n_states, cells.halves[c, 1] * n_states
            p = probability(scratch, u, v, n_states)
            count = load(cells.counts, c)
            if cells.scaled:
                value = fma(load(scratch.log_scale, cells.halves[c, 0]), reals_of(count), value)
            p = where(count != 0, p, 1.0)
            m, e = mantissa(p), fma(exponent(p), reals_of(count), e)
            for k in range(cells.digits[c]):
                factor = where((count & (1 << k)) != 0, m, 1.0)
                store(products, k, load(products, k) * factor)
            smallest, total = where(p < smallest, p, smallest), total + p
        for k in range(n_digits):
            e = fma(exponent(load(products, k)), 2.0**k, e)
            store(products, k, mantissa(load(products, k)))
    for k in range(n_digits):
        value = fma(log(load(products, k)), 2.0**k, value)
    return checked(value + log_of(everywhere(1.0), e), smallest, total)


@inlined
def sum_by_groups(cells, scratch, completed):
    """The sum over the cells of count ln P by lane, in nats, for counts that all lanes share, P
    from the products in ``scratch``; with ``completed`` it also adds each cell's completions to
    ``scratch.left_counts`` and ``scratch.right_counts``.
    """
    n_states = cells.left.shape[0]
    value, smallest, total = everywhere(0.0), everywhere(1.0), everywhere(0.0)
    for g in range(cells.counts.size):
        m, e = everywhere(1.0), everywhere(0.0)
        for c in range(cells.groups[g, 0], cells.groups[g, 1]):
            u, v = cells.halves[c, 0] * n_states, cells.halves[c, 1] * n_states
            p = probability(scratch, u, v, n_states)
            m, e = m * mantissa(p), e + exponent(p)
            if cells.scaled:
                scale = load(scratch.log_scale, cells.halves[c, 0])
                value = fma(scale, cells.counts[g], value)
            smallest, total = where(p < smallest, p, smallest), total + p
            if completed:
                add_cell(scratch, u, v, n_states, cells.counts[g] / p)
        value = fma(log_of(mantissa(m), e + exponent(m)), cells.counts[g], value)
    return checked(value, smallest, total)


@inlined
def probability(scratch, u, v, n_states):
    """P of a cell by lane: the sum over its ``n_states`` joint hidden states of A times B, which
    begin in row ``u`` of ``scratch.left`` and in row ``v`` of ``scratch.right``.
    """
    p = load(scratch.left, u) * load(scratch.right, v)
    for h in range(1, n_states):
        p = fma(load(scratch.left, u + h), load(scratch.right, v + h), p)
    return p


@inlined
def checked(value, smallest, total):
    """The ln likelihood by lane, in nats: ``value``; -inf where ``smallest``, the smallest P of a
    cell, is below the normal numbers; nan where ``total``, the sum of all P, is infinite or not a
    number.
    """
    value = where(smallest < SMALLEST, -np.inf, value)
    return where(total < np.inf, value, np.nan)


@inlined
def expected_counts(weights, cells, scratch, counts):
    """E-step for ``weights`` (rows, LANES) and cells whose counts all lanes share: returns ln p(y
    given theta) as `log_likelihood` does, by lane in nats, and writes the expected count of each
    row of the weights into ``counts`` (rows, LANES).
    """
    begin_counts(weights, cells, scratch)
    value = sum_by_groups(cells, scratch, True)
    end_counts(cells, scratch, counts)
    return value


@compiled
def expected_counts_alone(weights, cells, rows, scratch, counts):
    """Put the expected count of each row of the ``weights`` (rows, LANES) into ``counts`` (rows,
    LANES), without ln p(y given theta); not finite where a P is 0. ``rows`` are what `rows_of`
    makes of ``cells``, and `scratch_for` made ``scratch``.
    """
    n_states = cells.left.shape[0]
    begin_counts(weights, cells, scratch)
    for half in range(rows.first.size - 1):
        u = half * n_states
        for c in range(rows.first[half], rows.first[half + 1]):
            v = rows.right[c] * n_states
            ratio = rows.counts[c] / probability(scratch, u, v, n_states)
            add_cell(scratch, u, v, n_states, ratio)
    end_counts(cells, scratch, counts)


@inlined
def begin_counts(weights, cells, scratch):
    """Put into ``scratch`` the products of the ``weights`` (rows, LANES) of each half of ``cells``,
    and zeros for the completions so far.
    """
    multiply_halves(weights, cells, scratch)
    scratch.left_counts[:] = 0.0
    scratch.right_counts[:] = 0.0


@inlined
def add_cell(scratch, u, v, n_states, ratio):
    """Add a cell's completions, over the product of the half itself, to ``scratch.left_counts``
    from row ``u`` and to ``scratch.right_counts`` from row ``v`` on: the other half's products
    times ``ratio``, the cell's count over P.
    """
    for h in range(n_states):
        of_left = fma(load(scratch.right, v + h), ratio, load(scratch.left_counts, u + h))
        of_right = fma(load(scratch.left, u + h), ratio, load(scratch.right_counts, v + h))
        store(scratch.left_counts, u + h, of_left)
        store(scratch.right_counts, v + h, of_right)


@inlined
def end_counts(cells, scratch, counts):
    """Put the expected counts of all rows of the weights into ``counts`` (rows, LANES), from the
    products and the completions of ``cells`` in ``scratch``.
    """
    counts[:] = 0.0
    collect(scratch.left, scratch.left_counts, cells.left, counts)
    collect(scratch.right, scratch.right_counts, cells.right, counts)


@inlined
def collect(products, ratios, factors, counts):
    """Add the expected completions of each half u in joint hidden state h, ``products`` times
    ``ratios``, (U, H, LANES) each, to the rows ``factors[h, u, k]`` of ``counts`` (rows, LANES),
    for all k but where the row is negative.
    """
    n_states, n_cells, n_factors = factors.shape
    for first in range(0, n_factors, BESIDE):
        for u in range(n_cells):
            for h in range(n_states):
                completions = load(products, u * n_states + h) * load(ratios, u * n_states + h)
                for k in range(first, min(first + BESIDE, n_factors)):
                    row = factors[h, u, k]
                    if row >= 0:
                        store(counts, row, load(counts, row) + completions)


@compiled
def log_likelihoods(weights, cells):
    """ln p(y given theta), (blocks, LANES), in nats, for ``weights`` (blocks, rows, LANES) and the
    `Cells` ``cells``; -inf and nan as in `log_likelihood`.
    """
    values, scratch = np.empty((len(weights), LANES)), scratch_for(cells)
    for block in range(len(weights)):
        store(values, block, log_likelihood(weights[block], cells, scratch))
    return values


@compiled
def all_expected_counts(weights, cells, counts):
    """ln p(y given theta), in nats, (blocks, LANES), for ``weights`` (blocks, rows, LANES) and the
    `Cells` ``cells``; the expected counts, of the shape of the weights, go into ``counts``.
    """
    values, scratch = np.empty((len(weights), LANES)), scratch_for(cells)
    for block in range(len(weights)):
        value = expected_counts(weights[block], cells, scratch, counts[block])
        store(values, block, value)
    return values
