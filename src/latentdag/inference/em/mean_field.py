"""Variational Bayesian EM with a factorised q(s): every hidden variable of a case has a q of its
own (Beal's thesis, eq. 2.39 to 2.42, in place of the joint q(s) of eq. 2.54).

Cases in one cell have the same q. So the log weights that the fixed-point iteration works on are
ln q(k | cell), an array (K, N): all values of the first hidden variable, then those of the next, by
the N cells that occur, in the table's order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latentdag.engine.cells import end_counts
from latentdag.engine.functions import exp, log
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, fma, load, store, vectors, where
from latentdag.inference.em import lane_slots
from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.em.lane_slots import log_normalise, sum_over_copies
from latentdag.inference.em.optimiser import implement
from latentdag.inference.em.vbem import Posterior, keep_anchors, posterior_of, update
from latentdag.inference.slots import Batch, Kernel


class Problem(NamedTuple):
    """Variational Bayesian EM with a factorised q(s) for the fits in the lanes."""

    share: np.ndarray  # (K N, LANES): 1, as these log weights are not tied
    posterior: Posterior
    halves: np.ndarray  # (N, 2): the left and the right half of each cell, as in `Cells`
    counts: np.ndarray  # (N,): of each cell
    values: np.ndarray  # (H, hidden variables): of which of the K values a joint state consists
    first: np.ndarray  # (hidden variables + 1,): the first of each one's values, and K
    q: np.ndarray  # (K N, LANES)
    expected_log: np.ndarray  # (H F, LANES): E[ln theta]
    u: np.ndarray  # (H F, LANES): Dirichlet parameters of q(theta)


@compiled
def begin(problem, lane, item):
    """Let ``lane`` belong to structure ``item``: fill its columns of ``share``, ``pool`` and
    ``prior`` in the posterior's slots.
    """
    lane_slots.begin(problem.posterior, lane, item)


@compiled
def ready(problem):
    """Fill the posterior's ``anchors`` and ``rows`` from the prior of each lane."""
    keep_anchors(problem.posterior)


@compiled
def step(problem, log_q, after, mass):
    """One update of q(theta) and of every q(s_h), from ``log_q`` (K N, LANES), their logarithms by
    value and cell, into ``after``; count times q into ``mass``. Returns the bound in nats, (LANES,)
    (see `MeanFieldVBEM`).
    """
    n_cells = len(problem.counts)
    objective = everywhere(0.0)
    for row in range(0, len(log_q), n_cells):
        for cell in range(n_cells):
            q = exp(load(log_q, row + cell))
            count = problem.counts[cell] * q
            objective = fma(count, 0.0 - load(log_q, row + cell), objective)
            store(problem.q, row + cell, q)
            store(mass, row + cell, count)
    objective = objective + update_theta(problem)
    add_log_weights(problem, problem.expected_log)
    for cell in range(n_cells):
        for i in range(len(problem.first) - 1):
            # thesis eq. 2.42: ln q of one, up to a constant, is the mean over all others
            for k in range(problem.first[i], problem.first[i + 1]):
                store(after, k * n_cells + cell, everywhere(0.0))
            for state in range(len(problem.values)):
                others = log_joint(problem, cell, state)
                for j in range(len(problem.first) - 1):
                    if j != i:
                        others = others * load(problem.q, problem.values[state, j] * n_cells + cell)
                k = problem.values[state, i] * n_cells + cell
                store(after, k, load(after, k) + others)
            rows = problem.first[i] * n_cells + cell, problem.first[i + 1] * n_cells + cell
            log_normalise(after, rows[0], rows[1], n_cells)
            for k in range(rows[0], rows[1], n_cells):
                store(problem.q, k, exp(load(after, k)))
    return objective


@compiled
def feasible(problem, log_q):
    """Normalise ``log_q`` (K N, LANES) in place: each hidden variable's q sums to 1 in a cell."""
    n_cells = len(problem.counts)
    for cell in range(n_cells):
        for i in range(len(problem.first) - 1):
            begin, end = problem.first[i] * n_cells + cell, problem.first[i + 1] * n_cells + cell
            log_normalise(log_q, begin, end, n_cells)


@compiled
def update_theta(problem):
    """The best q(theta) for ``problem.q``: alpha + expected counts into ``problem.u``, E[ln theta]
    into ``problem.expected_log``. Returns the sum over rows of ln B(alpha + counts) - ln B(alpha),
    in nats, (LANES,).
    """
    n_cells, n_states = len(problem.counts), len(problem.values)
    slots, scratch = problem.posterior.slots, problem.posterior.slots.scratch
    left, right = scratch.left_counts, scratch.right_counts
    left[:], right[:] = 0.0, 0.0
    scratch.left[:], scratch.right[:] = 1.0, 1.0  # `end_counts` multiplies by these
    for cell in range(n_cells):
        u, v = problem.halves[cell, 0] * n_states, problem.halves[cell, 1] * n_states
        for state in range(n_states):
            completions = everywhere(problem.counts[cell])
            for k in problem.values[state]:
                completions = completions * load(problem.q, k * n_cells + cell)
            store(left, u + state, load(left, u + state) + completions)
            store(right, v + state, load(right, v + state) + completions)
    end_counts(slots.cells, scratch, slots.counts)
    sum_over_copies(slots, slots.counts)
    return update(problem.posterior, problem.expected_log, problem.u)


@compiled
def add_log_weights(problem, log_weights):
    """Put the sums of ``log_weights`` (H F, LANES) over each half of each cell, in each joint
    state, into ``left`` and ``right`` of the `Scratch` in ``problem``.
    """
    slots, n_states = problem.posterior.slots, len(problem.values)
    cells, scratch = slots.cells, slots.scratch
    for half, factors in ((scratch.left, cells.left), (scratch.right, cells.right)):
        for cell in range(factors.shape[1]):
            for state in range(n_states):
                total = everywhere(0.0)
                for slot in factors[state, cell]:
                    if slot >= 0:  # a missing value has none
                        total = total + load(log_weights, slot)
                store(half, cell * n_states + state, total)


@compiled
def log_joint(problem, cell, state):
    """Sum of the log weights of a ``cell`` in a joint hidden ``state``, both indices, (LANES,):
    from the sums over its halves that `add_log_weights` has put into `Scratch`.
    """
    n_states, scratch = len(problem.values), problem.posterior.slots.scratch
    u, v = problem.halves[cell, 0] * n_states, problem.halves[cell, 1] * n_states
    return load(scratch.left, u + state) + load(scratch.right, v + state)


@compiled
def marginals(problem, log_weights):
    """ln marginals (K N, LANES) of the hidden variables, under the p(s given cell) proportional to
    the product of weights, for ``log_weights`` (H F, LANES).
    """
    log_q = np.empty_like(problem.q)
    add_log_weights(problem, log_weights)
    n_cells = len(problem.counts)
    for cell in range(n_cells):
        for i in range(len(problem.first) - 1):
            for k in range(problem.first[i], problem.first[i + 1]):
                largest, total = everywhere(-np.inf), everywhere(0.0)
                for state in range(len(problem.values)):
                    if problem.values[state, i] == k:
                        x = log_joint(problem, cell, state)
                        largest = where(x > largest, x, largest)
                for state in range(len(problem.values)):
                    if problem.values[state, i] == k:
                        total = total + exp(log_joint(problem, cell, state) - largest)
                store(log_q, k * n_cells + cell, largest + log(total))
    feasible(problem, log_q)
    return log_q


implement(Problem, begin=begin, ready=ready, step=step, feasible=feasible)


@dataclass(frozen=True)
class MeanFieldVBEM(Algorithm):
    """One iteration: q(theta), then q of each hidden variable in turn, each the best for the
    others: the bound, F as in `vbem.bound`, never decreases. ``alpha`` has shape (F,).
    """

    alpha: np.ndarray

    def problem(self, batch: Batch) -> NamedTuple:
        """The `Problem` for fits of the structures in ``batch``, with no fit in any lane yet."""
        kernel = batch.kernel
        posterior = posterior_of(batch, self.alpha)
        first = np.append(0, np.cumsum(kernel.family.hidden))
        n_rows, n_slots = first[-1] * len(kernel.in_table_order), len(posterior.slots.share)
        share = vectors(n_rows)
        share[:] = 1.0
        return Problem(
            share,
            posterior,
            halves=kernel.cells.halves[kernel.in_table_order],
            counts=kernel.counts[kernel.in_table_order],
            values=np.ascontiguousarray(kernel.digits.T + first[:-1]),
            first=first,
            q=vectors(n_rows),
            expected_log=vectors(n_slots),
            u=vectors(n_slots),
        )


def starts(kernel: Kernel, log_weights: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A list with ln q (K, N) for each of ``log_weights``, arrays (H, F): ln marginals of the
    hidden variables in each cell, under the p(s given cell) proportional to the product of weights.
    """
    problem = MeanFieldVBEM(np.array(1.0)).problem(kernel.batch([0]))  # of which the cells are used
    in_lanes, log_qs = vectors(log_weights[0].size), []
    for weights in log_weights:
        in_lanes[:] = weights.reshape(-1, 1)
        log_q = marginals(problem, in_lanes)[:, 0]
        log_qs.append(log_q.reshape(-1, len(kernel.counts)))
    return log_qs
