"""The maximum of the collapsed bound L over q(s), by fixed-point iteration from many starts.

The iteration works on L with each expectation in a simple form of the mean m and the variance v of
its count,

    E ln Gamma(a + N) ~ ln Gamma(x) + v A(x) + v^2 B(x),    x = a + m,
    A(x) = ln x - psi(x),    B(x) = (ln(1 + 1 / x) + psi'(x) - 2 / x) / 2.

For a Poisson count A and B are the first two terms in m near m = 0, and also those in 1 / x for
large x. An update sets q of every cell by the gradient: ln q(h) is the sum over the variables of
the derivative in the probability that one case of the cell has state h. The end of an ascent is
kept only if L itself (`expectation`) is not lower there than at its start.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from latentdag.data.counts import MISSING
from latentdag.engine.functions import exp, log, log_gamma_ratio, log_ratio, trigamma_and_derivative
from latentdag.engine.jit import compiled, inlined
from latentdag.engine.simd import LANES, everywhere, fma, load, store, vectors
from latentdag.inference.collapsed.expectation import Bound, cells_of
from latentdag.inference.em import fixed_point, lane_slots
from latentdag.inference.em.fixed_point import Algorithm, Fits, Search, run_together
from latentdag.inference.em.lane_slots import Slots, log_normalise, slots_of, sum_over_states
from latentdag.inference.em.optimiser import implement
from latentdag.inference.em.vbem import anchor_in, keep_anchor
from latentdag.inference.slots import Batch, Kernel


class Problem(NamedTuple):
    """Collapsed variational Bayes for the fits in the lanes: N cells, H joint hidden states, F
    columns of the slots. A *row* is a joint state and one of the J observed variables, the first.
    """

    share: np.ndarray  # (N H, LANES): 1, as the log weights, ln q, are not tied
    slots: Slots  # which rows are tied, and which columns belong to a variable
    counts: np.ndarray  # (N,)
    values: np.ndarray  # (N, J): the column of each value, or MISSING
    digits: np.ndarray  # (hidden variables, H): state of each
    alpha: np.ndarray  # (F,)
    anchors: np.ndarray  # (F + J, 3, LANES): what `log_gamma_ratio` needs of alpha, of row sums
    q: np.ndarray  # (N H, LANES)
    pooled: np.ndarray  # (N J H, LANES): of each cell and joint state, with those of the same row
    probability: np.ndarray  # (H, LANES), of a value of one cell's hidden variable
    mean: np.ndarray  # (H F, LANES), of the counts
    square: np.ndarray  # (H F, LANES): sums of count times probability squared
    level: np.ndarray  # (H F, LANES): the derivative in the probability p is level - slope p
    slope: np.ndarray  # (H F, LANES)
    row_level: np.ndarray  # (H J, LANES), the same for the totals of rows
    row_slope: np.ndarray  # (H J, LANES)


@compiled
def ready(problem):
    """Fill ``problem.anchors`` with what `log_gamma_ratio` needs of the prior: of alpha of each
    column, and of its sum over the values of each observed variable, alike in all lanes.
    """
    n_columns, n_observed = len(problem.alpha), problem.values.shape[1]
    for column in range(n_columns):
        keep_anchor(everywhere(problem.alpha[column]), problem.anchors, 3 * column)
    for j in range(n_observed):
        total = row_alpha(problem, j)
        keep_anchor(everywhere(total), problem.anchors, 3 * (n_columns + j))


@inlined
def row_alpha(problem, j):
    """The sum of alpha over the values of observed variable ``j``, a number."""
    return problem.alpha[problem.slots.first[j] : problem.slots.first[j + 1]].sum()


@inlined
def pool_states(problem, cell, j):
    """Put into ``problem.pooled``, for each joint state, the sum of the q of ``cell`` over the
    joint states with which it shares a row of observed variable ``j``. Returns the index of the
    first of these H rows of ``problem.pooled``.
    """
    n_states, slots = len(problem.probability), problem.slots
    begin = (cell * problem.values.shape[1] + j) * n_states
    for h in range(n_states):
        store(problem.pooled, begin + h, load(problem.q, cell * n_states + h))
    sum_over_states(problem.pooled, begin, 1, slots.hidden, slots.pool, j * len(slots.hidden))
    return begin


@inlined
def marginal(problem, cell, i):
    """Put into ``problem.probability`` the probability of each value of hidden variable ``i`` in
    ``cell``, by ``problem.q``.
    """
    n_states = problem.digits.shape[1]
    for k in range(problem.slots.hidden[i, 0]):
        store(problem.probability, k, everywhere(0.0))
    for h in range(n_states):
        k = problem.digits[i, h]
        p = load(problem.probability, k) + load(problem.q, cell * n_states + h)
        store(problem.probability, k, p)


@inlined
def add_counts(problem, cell):
    """Add the terms of ``cell`` to ``problem.mean`` and ``problem.square``; those of hidden
    variables are in the first joint state's slots. Fills the cell's rows of ``problem.pooled``.
    """
    count, n_columns = problem.counts[cell], len(problem.alpha)
    n_observed = problem.values.shape[1]
    for j in range(n_observed):
        if problem.values[cell, j] == MISSING:
            continue
        pooled = pool_states(problem, cell, j)
        for h in range(len(problem.probability)):
            slot, p = h * n_columns + problem.values[cell, j], load(problem.pooled, pooled + h)
            store(problem.mean, slot, fma(p, count, load(problem.mean, slot)))
            store(problem.square, slot, fma(p * p, count, load(problem.square, slot)))
    for i in range(len(problem.digits)):
        marginal(problem, cell, i)
        for k in range(problem.slots.hidden[i, 0]):
            slot, p = problem.slots.first[n_observed + i] + k, load(problem.probability, k)
            store(problem.mean, slot, fma(p, count, load(problem.mean, slot)))
            store(problem.square, slot, fma(p * p, count, load(problem.square, slot)))


@compiled
def expectation(a, mean, variance, anchor):
    """Three vectors: E ln Gamma(a + N) - ln Gamma(a) in the simple form, for a count N with this
    ``mean`` and ``variance``; then level and slope: the derivative in the probability p that one
    case is counted is level - slope p. ``anchor`` is that of ``a`` for `log_gamma_ratio`. All are
    (LANES,).
    """
    ratio, product, psi = log_gamma_ratio(a, mean, anchor)
    x = a + mean
    log_x, inverse = log(x), 1.0 / x
    trigamma, tetragamma = trigamma_and_derivative(x)
    first, first_slope = log_x - psi, inverse - trigamma
    second = 0.5 * (log_ratio(x + 1.0, x, 1.0) + trigamma - 2.0 * inverse)
    second_slope = 0.5 * (tetragamma - inverse / (x + 1.0)) + inverse * inverse
    per_variance = fma(2.0 * variance, second, first)  # derivative in the variance
    value = fma(variance, fma(variance, second, first), ratio - log(product))
    level = fma(variance, fma(variance, second_slope, first_slope), psi + per_variance)
    return value, level, 2.0 * per_variance


@inlined
def slot_expectation(problem, slot):
    """The value of `expectation` for a slot's count, and the count's mean and variance, (LANES,).
    Puts level and slope of the derivative into ``problem.level`` and ``problem.slope``.
    """
    column = slot % len(problem.alpha)
    mean = load(problem.mean, slot)
    variance = mean - load(problem.square, slot)
    value, level, slope = expectation(
        everywhere(problem.alpha[column]), mean, variance, anchor_in(problem.anchors, 3 * column)
    )
    store(problem.level, slot, level)
    store(problem.slope, slot, slope)
    return value, mean, variance


@compiled
def expected_log_joint(problem):
    """E_q[ln p(s, y)] in the simple form, up to a constant, in nats, (LANES,), from
    ``problem.mean`` and ``problem.square``. Fills levels and slopes in ``problem``, of slots and of
    rows.
    """
    n_columns, n_observed, first = len(problem.alpha), problem.values.shape[1], problem.slots.first
    total = everywhere(0.0)
    for h in range(len(problem.probability)):
        for j in range(n_observed):
            row, value = h * n_observed + j, everywhere(0.0)
            mean, variance = everywhere(0.0), everywhere(0.0)  # a case is in one count of a row
            for column in range(first[j], first[j + 1]):
                one, one_mean, one_variance = slot_expectation(problem, h * n_columns + column)
                value, mean, variance = value + one, mean + one_mean, variance + one_variance
            anchor = anchor_in(problem.anchors, 3 * (n_columns + j))
            alpha = everywhere(row_alpha(problem, j))
            one, level, slope = expectation(alpha, mean, variance, anchor)
            store(problem.row_level, row, level)
            store(problem.row_slope, row, slope)
            share = load(problem.slots.share, h * n_columns + first[j])
            total = fma(share, value - one, total)
    for column in range(first[n_observed], n_columns):
        total = total + slot_expectation(problem, column)[0]
    return total


@compiled
def step(problem, log_q, after, mass):
    """One iteration of a fit from ``log_q`` (N H, LANES): the next ln q of every cell into
    ``after``, count times q into ``mass``. Returns L in the simple form at ``log_q``, up to a
    constant, in nats, (LANES,).
    """
    n_states, n_columns = len(problem.probability), len(problem.alpha)
    n_observed = problem.values.shape[1]
    problem.mean[:] = 0.0
    problem.square[:] = 0.0
    entropy = everywhere(0.0)
    for cell in range(len(problem.counts)):
        for k in range(cell * n_states, (cell + 1) * n_states):
            q = exp(load(log_q, k))
            count = problem.counts[cell] * q
            entropy = fma(count, 0.0 - load(log_q, k), entropy)
            store(problem.q, k, q)
            store(mass, k, count)
            store(after, k, everywhere(0.0))
        add_counts(problem, cell)
    objective = entropy + expected_log_joint(problem)
    for cell in range(len(problem.counts)):
        begin = cell * n_states
        for j in range(n_observed):
            if problem.values[cell, j] == MISSING:
                continue
            pooled = (cell * n_observed + j) * n_states
            for h in range(n_states):
                slot, row = h * n_columns + problem.values[cell, j], h * n_observed + j
                level = load(problem.level, slot) - load(problem.row_level, row)
                slope = load(problem.row_slope, row) - load(problem.slope, slot)
                gain = fma(slope, load(problem.pooled, pooled + h), level)
                store(after, begin + h, load(after, begin + h) + gain)
        for i in range(len(problem.digits)):
            marginal(problem, cell, i)
            for h in range(n_states):
                k = problem.digits[i, h]
                slot = problem.slots.first[n_observed + i] + k
                loss = load(problem.slope, slot) * load(problem.probability, k)
                gain = load(problem.level, slot) - loss
                store(after, begin + h, load(after, begin + h) + gain)
        log_normalise(after, begin, begin + n_states, 1)
    return objective


@compiled
def normalise(log_q, n_states):
    """Shift ``log_q`` (N n_states, LANES) in place so that its exponentials sum to 1 over the joint
    states of each cell, with the same bits on every processor.
    """
    for begin in range(0, len(log_q), n_states):
        log_normalise(log_q, begin, begin + n_states, 1)


@compiled
def feasible(problem, log_q):
    """Normalise ``log_q`` (N H, LANES) in place: q sums to 1 over the joint states of each cell."""
    normalise(log_q, len(problem.probability))


implement(Problem, begin=lane_slots.begin, ready=ready, step=step, feasible=feasible)


@dataclass(frozen=True)
class CollapsedVB(Algorithm):
    """One iteration: q of every cell by the derivatives at q. It may lower the simple form of L.
    ``alpha`` (F,) are the prior's Dirichlet parameters.
    """

    alpha: np.ndarray
    ascends = False

    def problem(self, batch: Batch) -> NamedTuple:
        """The `Problem` for fits of the structures in ``batch``, with no fit in any lane yet."""
        kernel = batch.kernel
        n_observed, n_states = len(kernel.family.observed), kernel.n_states
        columns = kernel.patterns + kernel.first[:n_observed]
        n_slots, n_rows = n_states * kernel.n_columns, n_states * n_observed
        share = vectors(len(kernel.counts) * n_states)
        share[:] = 1.0
        return Problem(
            share,
            slots_of(batch, self.alpha),
            counts=kernel.counts,
            values=np.where(kernel.patterns == MISSING, MISSING, columns),
            digits=kernel.digits,
            alpha=self.alpha,
            anchors=vectors(kernel.n_columns + n_observed, 3),
            q=vectors(len(share)),
            pooled=vectors(len(share) * n_observed),
            probability=vectors(n_states),
            **{name: vectors(n_slots) for name in ("mean", "square", "level", "slope")},
            **{name: vectors(n_rows) for name in ("row_level", "row_slope")},
        )


WIDTH = 10.0  # nats below the best: what lies lower has next to no weight in a mixture
TOLERANCE = 1e-3  # nats left to gain in the simple form, which is not more exact
HELD = 2**22  # numbers in all fits that are held at once: 32 MB


@dataclass(frozen=True)
class Optima:
    """Local maxima of L over q(s), and how they were found."""

    bounds: np.ndarray  # (K,), L in nats, best first
    log_q: np.ndarray  # (K, N, H)
    iterations: int  # of the best
    converged: bool  # the best
    restarts: int  # starts
    restarts_at_best: int  # that led within SAME_OPTIMUM of the best

    @cached_property
    def q(self) -> np.ndarray:
        return np.exp(self.log_q)


def search(
    kernel: Kernel,
    alpha: np.ndarray,
    starts: Sequence[np.ndarray],
    max_iterations: int,
    report: Callable[[float], object] | None = None,
) -> list[Optima]:
    """A list of the `Optima` of each of the kernel's structures: the distinct maxima of L reached
    from its ``starts``, log weights (K, H, F), within WIDTH nats of the best, OPTIMA at most.
    ``alpha`` (F,) are the prior's Dirichlet parameters. A fit ends after ``max_iterations`` steps
    at most. ``report`` is called with 1 for each structure that is done. Raises
    FloatingPointError where an objective is not finite.
    """
    size = len(kernel.counts) * kernel.n_states * max(len(s) for s in starts)
    searches = (
        _search_one(kernel, k, alpha, of_structure, report) for k, of_structure in enumerate(starts)
    )
    together = max(1, HELD // size)
    return run_together(kernel, CollapsedVB(alpha), searches, max_iterations, together)


def responsibilities(kernel: Kernel, log_weights: np.ndarray) -> np.ndarray:
    """ln q (K, N, H) of the joint states of each cell, for K sets of ``log_weights`` (K, H, F): q
    is proportional to the product of the weights, and normalised for each cell.
    """
    flat = log_weights.reshape(len(log_weights), -1)
    log_q = flat[:, kernel.state_slots].sum(axis=1)[:, :, None]  # (K, H, 1)
    weights = np.pad(log_weights, ((0, 0), (0, 0), (0, 1)))  # the factor of what is missing is 1
    for values, first in zip(kernel.patterns.T, kernel.first, strict=False):
        log_q = log_q + weights[:, :, np.where(values == MISSING, -1, first + values)]
    log_q = log_q.transpose(0, 2, 1)
    for some in np.split(log_q, range(LANES, len(log_q), LANES)):  # as views
        lanes = vectors(some[0].size)
        lanes[:, : len(some)] = some.reshape(len(some), -1).T
        normalise(lanes, kernel.n_states)
        some[:] = lanes[:, : len(some)].T.reshape(some.shape)
    return np.ascontiguousarray(log_q)


def _search_one(kernel: Kernel, item: int, alpha: np.ndarray, log_weights, report) -> Search:
    """All that is computed for one structure."""
    starts = responsibilities(kernel, log_weights)
    simple, _, _ = CollapsedVB(alpha).step(kernel.batch([item] * len(starts)), starts)
    starts = starts[simple > simple.max() - WIDTH]
    fits = yield Fits.begin(item, starts), TOLERANCE

    bound = Bound(cells_of(kernel, item), kernel.untied(item, alpha))
    kept = fixed_point.distinct(fits.objective, WIDTH)
    ends, starts = fits.rows(kept), starts[kept]
    before, after = (np.array([bound(x) for x in log_q]) for log_q in (starts, ends.log_weights))
    value = np.maximum(before, after)
    log_q = np.where((after < before)[:, None, None], starts, ends.log_weights)
    kept = fixed_point.distinct(value, WIDTH)
    if report:
        report(1)
    at_best = fits.objective > ends.objective[kept[0]] - fixed_point.SAME_OPTIMUM
    return Optima(
        value[kept],
        log_q[kept],
        int(ends.iterations[kept[0]]),
        bool(ends.converged[kept[0]]),
        len(log_weights),
        int(at_best.sum()),
    )
