"""The compiled E-step without the ln likelihood, for the gradient of the latter.

As `cells`, but the cells stand by their left halves instead of by their counts, which only
logarithms need: what belongs to the left half then stays at hand from cell to cell.
"""

from typing import NamedTuple

import numpy as np

from latentdag.engine.jit import compiled
from latentdag.engine.kernel.cells import Cells, collect, multiply, probability
from latentdag.engine.simd import fma, load, store


class Rows(NamedTuple):
    """The cells that occur, N of them, by their left halves, of which there are U."""

    first: np.ndarray  # (U + 1,): the first cell of each left half, and N
    right: np.ndarray  # (N,): the right half of each cell
    counts: np.ndarray  # (N,): of each cell


def rows_of(cells: Cells) -> Rows:
    """The same cells by their left halves."""
    left, right = cells.halves.T
    order = np.lexsort((right, left))
    counts = np.repeat(cells.counts, np.diff(cells.groups, axis=1)[:, 0])
    first = np.searchsorted(left[order], np.arange(cells.left.shape[1] + 1))
    return Rows(first, np.ascontiguousarray(right[order]), counts[order])


@compiled
def expected_counts(weights, cells, rows, scratch, counts):
    """Into ``counts`` the expected counts at ``weights``, both (rows of the weights, LANES); not
    finite where a cell that occurs has probability 0.
    """
    multiply(weights, cells.left, scratch.left)
    multiply(weights, cells.right, scratch.right)
    n_states = cells.left.shape[0]
    scratch.left_counts[:] = 0.0
    scratch.right_counts[:] = 0.0
    for half in range(rows.first.size - 1):
        u = half * n_states
        for c in range(rows.first[half], rows.first[half + 1]):
            add_cell(scratch, u, rows.right[c] * n_states, n_states, rows.counts[c])
    counts[:] = 0.0
    collect(scratch.left, scratch.left_counts, cells.left, counts)
    collect(scratch.right, scratch.right_counts, cells.right, counts)


@compiled
def add_cell(scratch, u, v, n_states, count):
    """Add the expected completions of a cell, whose halves begin at ``u`` and ``v``."""
    ratio = count / probability(scratch, u, v, n_states)
    for h in range(n_states):
        of_left = fma(load(scratch.right, v + h), ratio, load(scratch.left_counts, u + h))
        of_right = fma(load(scratch.left, u + h), ratio, load(scratch.right_counts, v + h))
        store(scratch.left_counts, u + h, of_left)
        store(scratch.right_counts, v + h, of_right)
