"""The cells of one structure, and which parameters a completed cell picks."""

from typing import NamedTuple

import numpy as np

from latentdag.data.counts import MISSING
from latentdag.engine.jit import compiled
from latentdag.engine.simd import LANES, vectors
from latentdag.inference.em.lane_slots import log_normalise
from latentdag.inference.slots import Kernel

NOTHING = -1  # a missing value picks no parameter; the row of a hidden variable has no total


class CompletedCells(NamedTuple):
    """N cells, H joint hidden states, T tables: those of the observed variables, then of the hidden
    ones. D parameters in all tables, R rows in the tables of observed variables.

    With its hidden states in joint state h, a cell picks parameter
    ``first[t, group[t, h]] + offset[cell, t]`` of table t. States of one group pick the same.
    """

    counts: np.ndarray  # (N,), how often each cell occurs
    offset: np.ndarray  # (N, T): value of an observed variable or NOTHING; 0 of a hidden one
    group: np.ndarray  # (T, H)
    groups: np.ndarray  # (T,): the number of groups
    first: np.ndarray  # (T, most groups)
    row: np.ndarray  # (T, most groups): the row that a group picks from; NOTHING for a hidden one
    row_first: np.ndarray  # (R + 1,): the first parameter of each row, and the one after the last

    @property
    def n_states(self) -> int:
        return self.group.shape[1]


def cells_of(kernel: Kernel, item: int) -> CompletedCells:
    """Those of structure ``item`` of ``kernel``; its parameters are its untied ones."""
    family = kernel.family
    n_observed, n_tables = len(family.observed), len(family.observed) + len(family.hidden)
    parameter = kernel.expand(item, np.arange(kernel.n_coordinates[item]))  # (H, F)
    columns = np.repeat(kernel.first[:n_observed, None], kernel.n_states, axis=1)
    columns = np.concatenate([columns, kernel.first[n_observed:, None] + kernel.digits])
    picked = np.take_along_axis(parameter.T, columns, axis=0)  # (T, H)

    groups = np.array([len(np.unique(p)) for p in picked])
    first = np.full((n_tables, groups.max()), NOTHING)
    row = np.full_like(first, NOTHING)
    group = np.empty_like(picked)
    n_rows = 0
    for t in range(n_tables):
        first[t, : groups[t]], group[t] = np.unique(picked[t], return_inverse=True)
        if t < n_observed:
            row[t, : groups[t]] = n_rows + np.arange(groups[t])
            n_rows += groups[t]
    values = np.where(kernel.patterns == MISSING, NOTHING, kernel.patterns)
    states = np.zeros((len(values), len(family.hidden)), dtype=values.dtype)
    starts = kernel.row_starts(item)  # tables of hidden variables come last
    row_first = np.append(starts, kernel.n_coordinates[item])[: n_rows + 1]
    return CompletedCells(
        kernel.counts, np.hstack([values, states]), group, groups, first, row, row_first
    )


def responsibilities(kernel: Kernel, log_weights: np.ndarray) -> np.ndarray:
    """ln q (K, N, H): the states of each cell with probabilities proportional to the product of the
    weights, for K settings of log weights (K, H, F) of structures of ``kernel``.
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


@compiled
def normalise(log_q, n_states):
    """Make ``log_q`` (N H, LANES) that of a distribution over the states of each cell. Loops over
    lanes have the same bits on every processor, where NumPy's exp and log do not.
    """
    for begin in range(0, len(log_q), n_states):
        log_normalise(log_q, begin, begin + n_states, 1)
