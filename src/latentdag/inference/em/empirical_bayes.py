"""Variational Bayesian EM that estimates the prior as well: the bound F maximised over alpha and
alpha_hidden too (Beal's thesis, eq. 2.79 and figure 2.5).

The fixed-point iteration moves an array (H, F + 2): a fit's log weights, and ln alpha and ln
alpha_hidden as two columns, the same for every joint hidden state. For given expected counts F
splits in a function of each of them. A step moves each uphill before it updates q(theta), so that F
never falls.
"""

import math
from typing import NamedTuple

import numpy as np

from latentdag.engine import functions
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, fma, load, magnitude, store, vectors, where
from latentdag.inference.em import lane_slots, vbem
from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.em.lane_slots import slots_in
from latentdag.inference.em.optimiser import implement
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
    posterior: vbem.Posterior
    n_observed: int  # variables: alpha is their parameter, alpha_hidden that of those after them
    log_weights: np.ndarray  # (H F, LANES)
    expected_log: np.ndarray  # (H F, LANES)
    u: np.ndarray  # (H F, LANES)
    lower: np.ndarray  # (1, LANES): 1 where a step leads downhill, else 0


@compiled
def begin(problem, lane, item):
    """Let ``lane`` belong to structure ``item``: fill its column of ``problem.share`` and those of
    the slots' ``share``, ``pool`` and ``prior``.
    """
    lane_slots.begin(problem.posterior, lane, item)
    slots = problem.posterior.slots
    n_columns = slots.first[-1]
    for slot in range(len(slots.share)):
        problem.share[slot + slot // n_columns * 2, lane] = slots.share[slot, lane]


@compiled
def step(problem, log_weights, after, mass):
    """One iteration of a fit: E step at ``log_weights`` (H (F + 2), LANES), a step of the prior
    uphill, M step. Returns the bound F before the prior's step, in nats, (LANES,). Writes
    E[ln theta], ln alpha and ln alpha_hidden into ``after``, the weights of their squares (see
    `EmpiricalBayes`) into ``mass``.
    """
    slots = problem.posterior.slots
    n_columns, n_variables = slots.first[-1], len(slots.first) - 1
    for slot in range(len(slots.share)):
        store(problem.log_weights, slot, load(log_weights, slot + slot // n_columns * 2))
    objective = vbem.complete(slots, problem.log_weights)
    value, log_alpha, curvature = climb(problem, 0, load(log_weights, n_columns))
    value_hidden, log_hidden, curvature_hidden = climb(problem, 1, load(log_weights, n_columns + 1))
    objective = objective + (value + value_hidden)
    alpha, alpha_hidden = functions.exp(log_alpha), functions.exp(log_hidden)
    for row in range(len(problem.posterior.rows)):
        alpha_of_row = alpha if row % n_variables < problem.n_observed else alpha_hidden
        for slot in range(*slots_in(slots, row)):
            store(slots.prior, slot, alpha_of_row)
    vbem.keep_anchors(problem.posterior)
    vbem.update(problem.posterior, problem.expected_log, problem.u)
    for slot in range(len(slots.share)):
        store(after, slot + slot // n_columns * 2, load(problem.expected_log, slot))
        store(mass, slot + slot // n_columns * 2, load(problem.u, slot))
    for row in range(n_columns, len(after), n_columns + 2):
        store(after, row, log_alpha)
        store(mass, row, curvature)
        store(after, row + 1, log_hidden)
        store(mass, row + 1, curvature_hidden)
    return objective


@compiled
def feasible(problem, log_weights):
    """Clip ln alpha and ln alpha_hidden in ``log_weights`` (H (F + 2), LANES) to their limits, in
    place.
    """
    n_columns = problem.posterior.slots.first[-1]
    for row in range(n_columns, len(log_weights), n_columns + 2):
        for i in range(2):
            store(log_weights, row + i, clip_to_limits(load(log_weights, row + i)))


@compiled
def clip_to_limits(log_alpha):
    """``log_alpha`` (LANES,) clipped to the range from ln MIN_ALPHA to ln MAX_ALPHA."""
    log_alpha = where(log_alpha < LOWEST, LOWEST, log_alpha)
    return where(log_alpha > HIGHEST, HIGHEST, log_alpha)


@compiled
def climb(problem, hidden, log_alpha):
    """Three vectors (LANES,): `value_at` in nats at ``log_alpha`` (LANES,); a ln alpha where it is
    not lower; and the curvature behind the step to it. The step is Newton's, or LONGEST where that
    is longer or the function not concave; within the limits of the prior; halved until it does not
    lead downhill. ``hidden`` is 0 for ln alpha, 1 for ln alpha_hidden.
    """
    value, slope = value_at(problem, hidden, log_alpha), slope_at(problem, hidden, log_alpha)
    curvature = (slope - slope_at(problem, hidden, log_alpha + DELTA)) / DELTA
    least = magnitude(slope) / LONGEST
    curvature = where(curvature > least, curvature, least)
    step = where(curvature > 0.0, slope / curvature, 0.0)
    ahead = log_alpha
    for _ in range(HALVINGS):
        ahead = clip_to_limits(log_alpha + step)
        lower = value_at(problem, hidden, ahead) < value - SLACK
        store(problem.lower, 0, where(lower, 1.0, everywhere(0.0)))
        step = step * where(lower, 0.5, everywhere(1.0))
        if not problem.lower.any():
            break  # a lane that is not lower stays where it is in further rounds
    return value, where(load(problem.lower, 0) > 0.5, log_alpha, ahead), curvature


@compiled
def variables(problem, hidden):
    """Two indices of variables of ``problem``: the first of those whose prior parameter is alpha
    (``hidden`` 0) or alpha_hidden (1), and the one after the last.
    """
    n_variables = len(problem.posterior.slots.first) - 1
    return hidden * problem.n_observed, n_variables if hidden else problem.n_observed


@compiled
def value_at(problem, hidden, log_alpha):
    """ln p(y, s given alpha) in nats, (LANES,), up to a constant: sums of ln B(alpha + counts) - ln
    B(alpha) over the tables of the observed (``hidden`` 0) or hidden variables (1), at
    ``log_alpha`` (LANES,). The counts are the expected ones in the slots.
    """
    slots, value = problem.posterior.slots, everywhere(0.0)
    alpha = functions.exp(log_alpha)
    of_slot = functions.anchor(alpha)
    for v in range(*variables(problem, hidden)):
        total_alpha = alpha * (slots.first[v + 1] - slots.first[v])
        of_row = functions.anchor(total_alpha)
        for row in range(v, len(problem.posterior.rows), len(slots.first) - 1):
            begin, end = slots_in(slots, row)
            of_this, total = everywhere(0.0), everywhere(0.0)  # still to be lowered by ln m 2^e
            m, e = everywhere(1.0), everywhere(0.0)
            for slot in range(begin, end):
                count = load(slots.counts, slot)
                ratio, product, _ = functions.log_gamma_ratio(alpha, count, of_slot)
                m, e = functions.normalised(m * product, e)
                of_this, total = of_this + ratio, total + count
            ratio, product, _ = functions.log_gamma_ratio(total_alpha, total, of_row)
            log_product = functions.log_of(*functions.normalised(m / product, e))
            of_this = (of_this - ratio) - log_product
            value = fma(load(slots.share, begin), of_this, value)
    return value


@compiled
def slope_at(problem, hidden, log_alpha):
    """The derivative of `value_at` in ``log_alpha`` (LANES,), in nats, (LANES,); the arguments are
    those of `value_at`.
    """
    slots, slope = problem.posterior.slots, everywhere(0.0)
    alpha = functions.exp(log_alpha)
    of_slot = functions.digamma_anchor(alpha)
    for v in range(*variables(problem, hidden)):
        total_alpha = alpha * (slots.first[v + 1] - slots.first[v])
        of_row = functions.digamma_anchor(total_alpha)
        for row in range(v, len(problem.posterior.rows), len(slots.first) - 1):
            begin, end = slots_in(slots, row)
            of_this, total = everywhere(0.0), everywhere(0.0)
            for slot in range(begin, end):
                count = load(slots.counts, slot)
                of_this = of_this + functions.digamma_difference(alpha, count, of_slot)
                total = total + count
            of_this = alpha * of_this - total_alpha * functions.digamma_difference(
                total_alpha, total, of_row
            )
            slope = fma(load(slots.share, begin), of_this, slope)
    return slope


implement(Problem, begin=begin, step=step, feasible=feasible)


class EmpiricalBayes(Algorithm):
    """Variational Bayesian EM with an unknown prior, for log weights of `with_prior`. Squares are
    weighed by q(theta)'s Dirichlet parameters, and F's curvatures in ln alpha and ln alpha_hidden.
    """

    def problem(self, batch: Batch) -> NamedTuple:
        """The `Problem` for fits of the structures in ``batch``, with no fit in any lane yet."""
        kernel, n_slots = batch.kernel, batch.share[0].size
        share = vectors(n_slots + 2 * kernel.n_states)
        share[:] = 1 / kernel.n_states
        return Problem(
            share,
            vbem.posterior_of(batch, np.array(1.0)),
            len(kernel.family.observed),
            *(vectors(n_slots) for _ in range(3)),
            vectors(1),
        )


def with_prior(log_weights: np.ndarray, prior: Prior) -> np.ndarray:
    """Log weights (H, F) with ln alpha and ln alpha_hidden of ``prior`` as two more columns,
    (H, F + 2).
    """
    columns = np.broadcast_to(np.log([prior.alpha, prior.alpha_hidden]), (len(log_weights), 2))
    return np.concatenate([log_weights, columns], axis=1)


def one_state_weights(kernel: Kernel, prior: Prior) -> np.ndarray:
    """E[ln theta] (S, H, F) for each of the S structures of ``kernel``, under the q(theta) with
    this ``prior`` when every case is in the first joint state.
    """
    batch = kernel.batch(np.arange(len(kernel.n_coordinates)))
    weights = np.zeros_like(batch.share)
    weights[:, 0] = 1
    u = batch.expected_counts(weights)[1] + kernel.prior_slots(prior)
    return vbem.expected_log(batch, u, batch.row_sums(u))


def estimates_of_prior(log_weights: np.ndarray) -> tuple[float, float]:
    """alpha and alpha_hidden, two floats, from ``log_weights`` (H, F + 2) as in `with_prior`; at a
    limit of their range exactly that.
    """
    limits = {LOWEST: MIN_ALPHA, HIGHEST: MAX_ALPHA}
    alpha, alpha_hidden = (limits.get(x, math.exp(x)) for x in log_weights[0, -2:].tolist())
    return alpha, alpha_hidden
