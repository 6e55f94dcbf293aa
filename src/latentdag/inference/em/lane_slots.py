"""Slots of fits that run side by side: the E-step, tied as each fit's structure asks.

Lanes may belong to different structures of one kernel. What differs between structures is an array
per lane, filled when a fit begins; so the loops are the same for all.
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.cells import Cells, Scratch, expected_counts, scratch_for
from latentdag.engine.functions import exp, log
from latentdag.engine.jit import compiled, inlined
from latentdag.engine.simd import everywhere, load, store, vectors, where
from latentdag.inference.slots import Batch


class Slots(NamedTuple):
    """Slots (H, F) of S structures, H F rows of LANES numbers each for the fits in the lanes."""

    cells: Cells
    scratch: Scratch
    first: np.ndarray  # (variables + 1,): the column of each variable's first value, and F
    hidden: np.ndarray  # (hidden variables, 2): values; joint states from one value to the next
    shares: np.ndarray  # (S, H F): one over the number of copies of each slot
    pools: np.ndarray  # (S, variables times hidden variables): 1 where one does not depend on it
    priors: np.ndarray  # (S, H F): Dirichlet parameters
    share: np.ndarray  # the last three for the structure of each lane: (H F, LANES)
    pool: np.ndarray  # (variables times hidden variables, LANES)
    prior: np.ndarray  # (H F, LANES)
    weights: np.ndarray  # (H F, LANES), to work in
    counts: np.ndarray  # (H F, LANES), expected counts


def slots_of(batch: Batch, prior: np.ndarray) -> Slots:
    """The `Slots` of the S structures in ``batch``, with no fit in any lane yet. ``prior``, the
    Dirichlet parameters, has shape (F,), (S, H, F) or (), for one number.
    """
    kernel = batch.kernel
    n_structures, n_slots = len(batch.share), batch.share[0].size
    pools = kernel.pooled[batch.items].transpose(0, 2, 1).reshape(n_structures, -1).astype(float)
    prior_in_lanes = vectors(n_slots)
    prior_in_lanes[:] = 1.0  # a lane that never holds a fit computes with numbers all the same
    return Slots(
        kernel.cells,
        scratch_for.py_func(kernel.cells),  # in Python: see `optimiser.run`
        np.append(kernel.first, kernel.n_columns),
        kernel.hidden,
        batch.share.reshape(n_structures, -1),
        pools,
        np.array(np.broadcast_to(prior, batch.share.shape), order="C").reshape(n_structures, -1),
        share=vectors(n_slots),
        pool=vectors(pools.shape[1]),
        prior=prior_in_lanes,
        weights=vectors(n_slots),
        counts=vectors(n_slots),
    )


@compiled
def begin(problem, lane, item):
    """Let ``lane`` belong to structure ``item``: fill its columns of ``share``, ``pool`` and
    ``prior`` in ``problem.slots``.
    """
    slots = problem.slots
    slots.share[:, lane] = slots.shares[item]
    slots.pool[:, lane] = slots.pools[item]
    slots.prior[:, lane] = slots.priors[item]


@compiled
def number_of_rows(slots):
    """The number of rows of all tables of ``slots``, a `Slots`, tied ones counted for each joint
    state.
    """
    return len(slots.counts) // slots.first[-1] * (len(slots.first) - 1)


@compiled
def slots_in(slots, row):
    """Two indices of slots: the first of row number ``row``, and the one after its last. Rows are
    numbered from 0 by joint state, then by variable; ``slots`` is a `Slots`.
    """
    h, v = divmod(row, len(slots.first) - 1)
    return h * slots.first[-1] + slots.first[v], h * slots.first[-1] + slots.first[v + 1]


@compiled
def log_normalise(x, begin, end, apart):
    """Shift rows ``begin``, ``begin`` + ``apart``, ... before ``end`` of ``x`` (rows, LANES) in
    place, so that their exponentials sum to 1 in each lane.
    """
    largest, total = everywhere(-np.inf), everywhere(0.0)
    for k in range(begin, end, apart):
        largest = where(load(x, k) > largest, load(x, k), largest)
    for k in range(begin, end, apart):
        total = total + exp(load(x, k) - largest)
    normaliser = largest + log(total)
    for k in range(begin, end, apart):
        store(x, k, load(x, k) - normaliser)


@compiled
def e_step(slots, log_weights):
    """The sum over cells of count ln P(cell), in nats, (LANES,), at ``log_weights`` (H F, LANES),
    which need not be normalised. Puts expected counts, summed over tied slots, into
    ``slots.counts``.
    """
    for k in range(len(slots.weights)):
        store(slots.weights, k, exp(load(log_weights, k)))
    log_sum = expected_counts(slots.weights, slots.cells, slots.scratch, slots.counts)
    sum_over_copies(slots, slots.counts)
    return log_sum


@compiled
def sum_over_copies(slots, counts):
    """Sum ``counts`` (H F, LANES) over the joint states that share a row, in each of its slots, in
    place.
    """
    n_hidden = len(slots.hidden)
    for v in range(len(slots.first) - 1):
        for column in range(slots.first[v], slots.first[v + 1]):
            sum_over_states(counts, column, slots.first[-1], slots.hidden, slots.pool, v * n_hidden)


@inlined
def sum_over_states(x, begin, apart, hidden, pool, first):
    """Replace rows ``begin`` + h ``apart`` of ``x`` (rows, LANES), one for each joint state h, by
    their sums over the values of every hidden variable i on which a table does not depend: where
    row ``first`` + i of ``pool`` is 1, not 0, by lane. ``hidden`` is that of `Slots`.
    """
    for i in range(len(hidden)):
        n_values, next_value, tied = hidden[i, 0], hidden[i, 1], load(pool, first + i) > 0.5
        for group in range(0, hidden[0, 0] * hidden[0, 1], n_values * next_value):
            for state in range(group, group + next_value):  # where the variable has its first value
                total = everywhere(0.0)
                for k in range(n_values):
                    total = total + load(x, begin + (state + k * next_value) * apart)
                for k in range(n_values):
                    row = begin + (state + k * next_value) * apart
                    store(x, row, where(tied, total, load(x, row)))
