"""Variational Bayesian EM that estimates the prior as well: the bound F maximised over alpha and
alpha_hidden too (Beal's thesis, eq. 2.79 and figure 2.5).

The fixed-point iteration moves a fit's log weights and its two prior parameters together, as one
array (H, F + 2): `WithPrior` appends ln alpha and ln alpha_hidden as two columns, the same for
every joint hidden state. For given expected counts F splits in a function of each of them. A step
moves each uphill before it updates q(theta), so that F never falls.
"""

import math
from typing import NamedTuple

import numpy as np

from latentdag.engine.jit import compiled
from latentdag.engine.kernel.functions import (
    anchor,
    digamma_anchor,
    digamma_difference,
    exp,
    log_gamma_ratio,
    log_of,
)
from latentdag.engine.simd import (
    everywhere,
    exponent,
    fma,
    load,
    magnitude,
    mantissa,
    store,
    vectors,
    where,
)
from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.em.lane_slots import assign, e_step, slots_in
from latentdag.inference.em.optimiser import implement
from latentdag.inference.em.vbem import Posterior, expected_log, keep_anchors, posterior_of, update
from latentdag.inference.slots import Batch, Kernel
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA, Prior

LOWEST, HIGHEST = np.log([MIN_ALPHA, MAX_ALPHA]).tolist()
LONGEST = 2.0  # of a step in ln alpha
DELTA = 0.1  # difference in ln alpha that gives the curvature; trigamma would cost another series
HALVINGS = 30  # of a step that leads downhill
SLACK = 1e-10  # nats: a fall that is rounding, far below what the iteration takes for it


class Problem(NamedTuple):
    """Empirical Bayes for the fits in the lanes."""

    share: np.ndarray  # (H (F + 2), LANES)
    posterior: Posterior
    which: np.ndarray  # (variables,): 0 if alpha is a variable's parameter, 1 if alpha_hidden
    log_weights: np.ndarray  # (H F, LANES)
    expected_log: np.ndarray  # (H F, LANES)
    u: np.ndarray  # (H F, LANES)
    prior: np.ndarray  # (2, LANES): ln alpha and ln alpha_hidden
    ahead: np.ndarray  # (2, LANES): the same at another point
    step: np.ndarray  # (2, LANES)
    curvature: np.ndarray  # (2, LANES)
    value: np.ndarray  # (2, LANES), nats: what depends on alpha, and on alpha_hidden
    value_ahead: np.ndarray  # (2, LANES)
    slope: np.ndarray  # (2, LANES): its derivatives in ln alpha and ln alpha_hidden
    slope_ahead: np.ndarray  # (2, LANES)
    lower: np.ndarray  # (2, LANES): 1 where a step leads downhill, else 0


def problem(batch: Batch) -> Problem:
    """For the structures of ``batch``; each fit has a prior of its own."""
    kernel = batch.kernel
    n_observed, n_variables = len(kernel.family.observed), kernel.block.shape[1]
    n_slots = batch.share[0].size
    share = vectors(n_slots + 2 * kernel.n_states)
    share[:] = 1 / kernel.n_states
    return Problem(
        share,
        posterior_of(batch, np.array(1.0)),
        (np.arange(n_variables) >= n_observed).astype(int),
        *(vectors(n_slots) for _ in range(3)),
        *(vectors(2) for _ in range(9)),
    )


@compiled
def begin(problem, lane, item):
    """Let ``lane`` belong to ``item``."""
    slots = problem.posterior.slots
    assign(slots, lane, item)
    n_columns = slots.first[-1]
    for slot in range(len(slots.share)):
        problem.share[slot + slot // n_columns * 2, lane] = slots.share[slot, lane]


@compiled
def ready(problem):
    """Nothing follows from the items."""


@compiled
def step(problem, log_weights, after, mass):
    """The bound F, in nats, at the best prior; E[ln theta] and ln alpha."""
    slots = problem.posterior.slots
    n_columns = slots.first[-1]
    for slot in range(len(slots.share)):
        store(problem.log_weights, slot, load(log_weights, slot + slot // n_columns * 2))
    for i in range(2):
        store(problem.prior, i, load(log_weights, n_columns + i))
    objective = e_step(slots, problem.log_weights)
    for slot in range(len(slots.share)):
        count = load(slots.share, slot) * load(slots.counts, slot)
        objective = fma(count, 0.0 - load(problem.log_weights, slot), objective)
    climb(problem)
    objective = objective + (load(problem.value, 0) + load(problem.value, 1))
    for row in range(len(problem.posterior.rows)):
        alpha = exp(load(problem.ahead, problem.which[row % len(problem.which)]))
        for slot in range(*slots_in(slots, row)):
            store(slots.prior, slot, alpha)
    keep_anchors(problem.posterior)
    update(problem.posterior, problem.expected_log, problem.u)
    for slot in range(len(slots.share)):
        store(after, slot + slot // n_columns * 2, load(problem.expected_log, slot))
        store(mass, slot + slot // n_columns * 2, load(problem.u, slot))
    for row in range(n_columns, len(after), n_columns + 2):
        for i in range(2):
            store(after, row + i, load(problem.ahead, i))
            store(mass, row + i, load(problem.curvature, i))
    return objective


@compiled
def feasible(problem, log_weights):
    """Prior parameters within their limits."""
    n_columns = problem.posterior.slots.first[-1]
    for row in range(n_columns, len(log_weights), n_columns + 2):
        for i in range(2):
            store(log_weights, row + i, clip_to_limits(load(log_weights, row + i)))


@compiled
def clip_to_limits(log_alpha):
    """``log_alpha`` within the limits that a prior has."""
    log_alpha = where(log_alpha < LOWEST, LOWEST, log_alpha)
    return where(log_alpha > HIGHEST, HIGHEST, log_alpha)


@compiled
def climb(problem):
    """The value at ``problem.prior``, a point ``problem.ahead`` that is not lower, and the
    curvature that the step to there rests on.

    Newton's step, or LONGEST where that is longer or the function not concave; within the limits of
    the prior; halved until it does not lead downhill.
    """
    value_at(problem, problem.prior, problem.value)
    slope_at(problem, problem.prior, problem.slope)
    for i in range(2):
        store(problem.ahead, i, load(problem.prior, i) + DELTA)
    slope_at(problem, problem.ahead, problem.slope_ahead)
    for i in range(2):
        slope = load(problem.slope, i)
        curvature = (slope - load(problem.slope_ahead, i)) / DELTA
        least = magnitude(slope) / LONGEST
        curvature = where(curvature > least, curvature, least)
        store(problem.curvature, i, curvature)
        store(problem.step, i, where(curvature > 0.0, slope / curvature, 0.0))
    for _ in range(HALVINGS):
        for i in range(2):
            store(problem.ahead, i, clip_to_limits(load(problem.prior, i) + load(problem.step, i)))
        value_at(problem, problem.ahead, problem.value_ahead)
        for i in range(2):
            lower = load(problem.value_ahead, i) < load(problem.value, i) - SLACK
            store(problem.lower, i, where(lower, 1.0, everywhere(0.0)))
            store(problem.step, i, load(problem.step, i) * where(lower, 0.5, everywhere(1.0)))
        if not problem.lower.any():
            return  # a lane that is not lower stays where it is in further rounds
    for i in range(2):
        lower = load(problem.lower, i) > 0.5
        store(problem.ahead, i, where(lower, load(problem.prior, i), load(problem.ahead, i)))


@compiled
def value_at(problem, log_alpha, value):
    """ln p(y, s given alpha) for the expected counts: the sum over rows of ln B(alpha + counts) -
    ln B(alpha), B the multivariate beta function. Into ``value`` the part of the tables that alpha
    belongs to, and that of alpha_hidden, for their logarithms ``log_alpha``, (2, LANES) each.
    """
    slots = problem.posterior.slots
    value[:] = 0.0
    n_variables = len(problem.which)
    for v in range(n_variables):
        alpha = exp(load(log_alpha, problem.which[v]))
        total_alpha = alpha * (slots.first[v + 1] - slots.first[v])
        of_slot, of_row = anchor(alpha), anchor(total_alpha)
        for row in range(v, len(problem.posterior.rows), n_variables):
            begin, end = slots_in(slots, row)
            of_this, total = everywhere(0.0), everywhere(0.0)  # still to be lowered by ln m 2^e
            m, e = everywhere(1.0), everywhere(0.0)
            for slot in range(begin, end):
                count = load(slots.counts, slot)
                ratio, product, _ = log_gamma_ratio(alpha, count, of_slot)
                m = m * product
                m, e = mantissa(m), e + exponent(m)
                of_this, total = of_this + ratio, total + count
            ratio, product, _ = log_gamma_ratio(total_alpha, total, of_row)
            m = m / product
            of_this = (of_this - ratio) - log_of(mantissa(m), e + exponent(m))
            of_all = fma(load(slots.share, begin), of_this, load(value, problem.which[v]))
            store(value, problem.which[v], of_all)


@compiled
def slope_at(problem, log_alpha, slope):
    """Derivatives of `value_at` in ln alpha and ln alpha_hidden, into ``slope`` (2, LANES)."""
    slots = problem.posterior.slots
    slope[:] = 0.0
    n_variables = len(problem.which)
    for v in range(n_variables):
        alpha = exp(load(log_alpha, problem.which[v]))
        total_alpha = alpha * (slots.first[v + 1] - slots.first[v])
        of_slot, of_row = digamma_anchor(alpha), digamma_anchor(total_alpha)
        for row in range(v, len(problem.posterior.rows), n_variables):
            begin, end = slots_in(slots, row)
            of_this, total = everywhere(0.0), everywhere(0.0)
            for slot in range(begin, end):
                count = load(slots.counts, slot)
                of_this = of_this + digamma_difference(alpha, count, of_slot)
                total = total + count
            of_this = alpha * of_this - total_alpha * digamma_difference(total_alpha, total, of_row)
            of_all = fma(load(slots.share, begin), of_this, load(slope, problem.which[v]))
            store(slope, problem.which[v], of_all)


implement(Problem, begin=begin, ready=ready, step=step, feasible=feasible)


class WithPrior:
    """What the fixed-point iteration needs of ``kernel``, for log weights with two more columns."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.n_coordinates, self.batch = kernel.n_coordinates, kernel.batch

    def begin(self, log_weights: np.ndarray, prior: Prior) -> np.ndarray:
        """Log weights (H, F) with the parameters of ``prior`` beside them, (H, F + 2)."""
        columns = np.broadcast_to(np.log([prior.alpha, prior.alpha_hidden]), (len(log_weights), 2))
        return np.concatenate([log_weights, columns], axis=1)

    def one_state_weights(self, prior: Prior) -> np.ndarray:
        """Log weights (S, H, F) of the structures that expect every case in the first joint state:
        the variational solution with no use for the hidden variables.
        """
        kernel = self.kernel
        batch = kernel.batch(np.arange(len(kernel.n_coordinates)))
        counts = np.zeros_like(batch.share)
        counts[:, 0] = kernel.margins
        of_states = np.zeros(counts.shape[:2])
        of_states[:, 0] = kernel.counts.sum()
        u = batch.tie(counts, of_states) + kernel.prior_slots(prior)
        return expected_log(batch, u, batch.row_sums(u))


class EmpiricalBayes(Algorithm):
    """One iteration of variational Bayesian EM with the prior's parameters among the unknowns, for
    log weights of `WithPrior`.

    The pseudo-counts that a step returns are what squares are weighed by: the Dirichlet parameters
    of q(theta), and the curvatures of F in ln alpha and ln alpha_hidden.
    """

    def problem(self, batch: Batch) -> NamedTuple:
        return problem(batch)


def estimates_of_prior(log_weights: np.ndarray) -> tuple[float, float]:
    """alpha and alpha_hidden of a fit's log weights (H, F + 2); at a limit of their range exactly
    that.
    """
    limits = dict(zip(np.log([MIN_ALPHA, MAX_ALPHA]).tolist(), (MIN_ALPHA, MAX_ALPHA), strict=True))
    alpha, alpha_hidden = (limits.get(x, math.exp(x)) for x in log_weights[0, -2:].tolist())
    return alpha, alpha_hidden
