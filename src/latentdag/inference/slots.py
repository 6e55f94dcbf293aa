"""Where the parameters of a structure stand: slots for those of several structures in one batch.

A batch holds C *items*: parameter settings of one or more structures with the same hidden
cardinalities, all for one table of counts. The parameters of an item lie in one array of *slots*,
shape (H, F): H joint hidden states by F columns, one column per value of each observed and then
each hidden variable. ``weights[c, h, f]`` is the probability of value f of its variable given joint
state h. A variable that does not depend on a hidden variable has the same row for all its states:
such copies are *tied*, and ``share`` (one over the number of copies) makes a sum over slots count
every parameter once. An item's numbers do not depend on its companions, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np

from latentdag.data.counts import MISSING, Counts, places
from latentdag.engine.cells import Cells, all_expected_counts, log_likelihoods
from latentdag.engine.simd import LANES
from latentdag.engine.special import log_dirichlet_peak
from latentdag.inference import MOST_FACTORS
from latentdag.model.parameters import Parameters, Prior
from latentdag.model.structures import Structure

BATCH = 64  # items in one batch: their arrays stay in cache
NO_ROW = -1  # of the weights: what a missing value has in place of one, as its factor is 1
LONGEST_PRODUCT = 500  # mantissas, from 1 to 2, multiplied before a logarithm is taken


class Kernel:
    """Slots and cell computations for ``structures`` (all with the same hidden cardinalities, none
    childless) and the cases of ``counts``. A *cell* is a pattern of values. A missing value is one
    more, of weight 1 in every state, whose count is not learned: it has no slot.
    """

    def __init__(self, structures: Sequence[Structure], counts: Counts):
        self.family = family = structures[0].family
        self.structures = tuple(structures)
        if any(s.family != family for s in structures):
            raise ValueError("all structures of one kernel must belong to the same family")
        n_hidden, n_observed = len(family.hidden), len(family.observed)
        self.n_states = family.n_states
        self.scaled = n_observed + n_hidden > MOST_FACTORS
        cardinalities = np.array(family.observed + family.hidden)
        numbers = np.arange(len(cardinalities))
        self.first = np.cumsum(cardinalities) - cardinalities  # column of each one's first value
        self.n_columns = int(cardinalities.sum())
        self.variable = np.repeat(numbers, cardinalities)  # which one a column belongs to
        self.n_values = cardinalities[self.variable].astype(float)  # of a column's variable
        # state of each hidden variable
        self.digits = np.indices(family.hidden).reshape(n_hidden, self.n_states)
        # slots of p(s_i = its state in h), one row per hidden variable
        columns = self.first[n_observed:, None] + self.digits
        self.state_slots = np.arange(self.n_states) * self.n_columns + columns
        # pool[i] sums over the states of hidden variable i
        differs = self.digits[:, :, None] != self.digits[:, None, :]
        self._pool = (differs.sum(axis=0) == differs).astype(float)

        # (S, hidden variables, variables): does not depend on it
        self.pooled = np.ones((len(structures), n_hidden, len(cardinalities)), dtype=bool)
        for s, structure in enumerate(structures):
            for j, parents in enumerate(structure.parents):
                self.pooled[s, list(parents), j] = False
        sizes = np.array(family.hidden, dtype=int)
        # (hidden variables, 2): values; joint states from one value to the next
        self.hidden = np.stack([sizes, self.n_states // np.cumprod(sizes)], axis=1)
        share = 1 / np.where(self.pooled, sizes[:, None], 1).prod(axis=1)[:, None]
        self._block_share = np.repeat(share, self.n_states, axis=1)
        self._share = np.ascontiguousarray(self._block_share[:, :, self.variable])
        coordinates, self._tables = zip(*map(self._numbered, structures), strict=True)
        # for each structure and slot the index of its parameter among the untied ones
        self._coordinates = np.array(coordinates)
        self.n_coordinates = self._coordinates.max(axis=(1, 2)) + 1

        # by their numbers, cells of one number in the order of the table
        by_number = np.argsort(counts.numbers, kind="stable")
        self.patterns = counts.patterns[by_number]  # (N, J), MISSING where not observed
        self.counts = counts.numbers[by_number].astype(float)  # (N,)
        self.in_table_order = np.argsort(by_number)  # indices of the cells, (N,)
        # the count of every column if all variables were independent and hidden ones uniform
        of_hidden = (np.full(k, self.counts.sum() / k) for k in family.hidden)
        self._margins = np.concatenate([*counts.margins(family.observed), *of_hidden])

    def _numbered(self, structure: Structure) -> tuple[np.ndarray, list[int]]:
        """The parameter of each slot among the untied ones, (H, F), and where each table begins."""
        hidden, tables, rows, total = self.family.hidden, [], [], 0
        parents = structure.parents + ((),) * len(hidden)
        for causes, k in zip(parents, self.family.observed + hidden, strict=True):
            row = np.zeros(self.n_states, dtype=np.int64)
            for i in causes:
                row = row * hidden[i] + self.digits[i]
            tables.append(total)
            rows.append(total + row * k)
            total += k * prod(hidden[i] for i in causes)
        value = np.arange(self.n_columns) - self.first[self.variable]
        return np.array(rows)[self.variable].T + value, tables

    @cached_property
    def block(self) -> np.ndarray:
        """1 where a column of the slots belongs to a variable, else 0, (F, variables)."""
        return (self.variable[:, None] == np.arange(len(self.first))).astype(float)

    @cached_property
    def cells(self) -> Cells:
        """The `Cells` that occur, as the compiled E-step reads them; the rows of the weights are
        the slots, H F.
        """
        slots = np.arange(self.n_states * self.n_columns).reshape(self.n_states, self.n_columns)
        return self._grouped(slots)

    def cells_of(self, item: int) -> Cells:
        """The `Cells` that occur, as the compiled E-step reads them; the rows of the weights are
        the untied parameters of structure ``item``, an index.
        """
        return self._grouped(self._coordinates[item])

    def cells_of_lanes(self, item: int, others: Sequence[Kernel]) -> Cells:
        """The `Cells` that occur in the data of any of ``others``, one kernel for each lane, with
        the structures of this one, in the table's order; each lane has the counts of its kernel.
        The rows of the weights are the untied parameters of structure ``item``.
        """
        patterns = Counts.of(np.concatenate([k.patterns for k in dict.fromkeys(others)])).patterns
        counts = np.zeros((len(patterns), len(others)), dtype=np.uint64)
        for lane, kernel in enumerate(others):
            counts[places(kernel.patterns, patterns), lane] = kernel.counts
        return Cells(
            *self._halves(self._coordinates[item], patterns),
            groups=_groups(np.arange(0, len(counts), LONGEST_PRODUCT), len(counts)),
            counts=counts,
            digits=np.array([int(largest).bit_length() for largest in counts.max(axis=1)]),
            scaled=self.scaled,
        )

    def _grouped(self, rows: np.ndarray) -> Cells:
        """The cells that occur, by count; ``rows`` (H, F) are the rows of the weights, by slot."""
        starts = np.flatnonzero(np.diff(self.counts, prepend=0) != 0)
        starts = np.union1d(starts, np.arange(0, len(self.counts), LONGEST_PRODUCT))
        return Cells(
            *self._halves(rows, self.patterns),
            groups=_groups(starts, len(self.counts)),
            counts=self.counts[starts],
            digits=np.empty(0, dtype=int),
            scaled=self.scaled,
        )

    def _halves(self, rows: np.ndarray, patterns: np.ndarray) -> list[np.ndarray]:
        """``left``, ``right`` and ``halves`` of `Cells`, for ``rows`` (H, F)."""
        observed = self.family.observed
        split = len(observed)
        if not self.scaled:
            split = min(range(1, split + 1), key=lambda s: prod(observed[:s]) + prod(observed[s:]))
        which, of_cells = [], []
        for half, first in (
            (patterns[:, :split], self.first[:split]),
            (patterns[:, split:], self.first[split : len(observed)]),
        ):
            occurring = Counts.of(half).patterns
            which.append(np.where(occurring == MISSING, NO_ROW, rows[:, occurring + first]))
            of_cells.append(places(half, occurring))
        states = rows.reshape(-1)[self.state_slots].T[:, None]  # (H, 1, hidden variables)
        states = np.broadcast_to(states, (*which[0].shape[:2], states.shape[2]))
        which[0] = np.concatenate([states, which[0]], axis=2)
        return [*map(np.ascontiguousarray, which), np.stack(of_cells, axis=1)]

    def parts(self, indices: np.ndarray) -> list[np.ndarray]:
        """The array ``indices`` as a list of pieces that fit one batch, BATCH at most in each."""
        return np.split(indices, range(BATCH, len(indices), BATCH))

    def batch(self, items: np.ndarray) -> Batch:
        """A `Batch` whose c-th item belongs to the kernel's structure ``items[c]``; ``items`` are
        indices (C,).
        """
        return Batch(self, np.asarray(items))

    def prior_slots(self, prior: Prior) -> np.ndarray:
        """The Dirichlet parameter by ``prior`` of every column of the slots, shape (F,)."""
        n_observed = sum(self.family.observed)
        return np.where(np.arange(self.n_columns) < n_observed, prior.alpha, prior.alpha_hidden)

    def expand(self, item: int, coordinates: np.ndarray) -> np.ndarray:
        """``coordinates`` (n_coordinates,), a number for each untied parameter of structure
        ``item``, as slots (H, F).
        """
        return coordinates[self._coordinates[item]]

    def untie(self, item: int, slots: np.ndarray) -> np.ndarray:
        """``slots`` (H, F) of structure ``item`` as numbers for its untied parameters,
        (n_coordinates,).
        """
        values = np.empty(self.n_coordinates[item], dtype=slots.dtype)
        values[self._coordinates[item]] = slots
        return values

    def untied(self, item: int, columns: np.ndarray) -> np.ndarray:
        """``columns`` (F,), a number for each column of the slots, as one for each untied parameter
        of structure ``item``, (n_coordinates,).
        """
        return self.untie(item, np.broadcast_to(columns, (self.n_states, self.n_columns)))

    def row_starts(self, item: int) -> np.ndarray:
        """Indices (rows,) of the first untied parameter of each row of the tables of structure
        ``item``, ascending.
        """
        return np.unique(self._coordinates[item][:, self.first])

    def independent_counts(self, item: int) -> np.ndarray:
        """Expected counts (n_coordinates,) of the untied parameters of structure ``item`` if all
        variables were independent and hidden ones uniform.
        """
        n_rows = self.untie(item, self.n_states * self._share[item])  # of each one's table
        return self.untied(item, self._margins) / n_rows

    def pack(self, item: int, parameters: Parameters) -> np.ndarray:
        """Probabilities (H, F), for each joint state of the causes one in each slot, from
        ``parameters``, the `Parameters` of the kernel's structure number ``item``.
        """
        tables = (*parameters.observed, *parameters.hidden)
        return self.expand(item, np.concatenate([rows.ravel() for rows in tables]))

    def unpack(self, item: int, slots: np.ndarray) -> Parameters:
        """The `Parameters` of structure ``item`` from its ``slots`` (H, F)."""
        observed = self.family.observed
        tables = np.split(self.untie(item, slots), self._tables[item][1:])
        rows = (table.reshape(-1, k) for table, k in zip(tables, observed, strict=False))
        return Parameters(tuple(tables[len(observed) :]), tuple(rows))

    def log_normalise(self, slots: np.ndarray) -> np.ndarray:
        """``slots``, ln weights (H, F), shifted so that the weights of each variable sum to 1 in
        each joint state: a new array.
        """
        sums = np.logaddexp.reduceat(slots, self.first, axis=1)
        return slots - sums[:, self.variable]


def _groups(starts: np.ndarray, end: int) -> np.ndarray:
    """The first of each group, and the one after its last, (G, 2)."""
    return np.stack([starts, np.append(starts, end)[1:]], axis=1)


class Batch:
    """C parameter settings together; ``share`` (C, H, F) and ``block_share`` (C, H, variables) undo
    ties.
    """

    def __init__(self, kernel: Kernel, items: np.ndarray):
        self.kernel, self.items = kernel, items
        self.share = kernel._share[items]
        self.block_share = kernel._block_share[items]
        self._pooled = kernel.pooled[items][:, :, None, kernel.variable]

    def total(self, slots: np.ndarray) -> np.ndarray:
        """Sum of ``slots`` over each item's parameters: (C, H, F) to (C,); tied ones count once."""
        return np.vecdot(self.share.reshape(len(slots), -1), slots.reshape(len(slots), -1))

    def block_total(self, rows: np.ndarray) -> np.ndarray:
        """Sum of ``rows``, a number for each row of each item's tables, (C, H, variables), to (C,);
        tied rows count once.
        """
        return np.vecdot(self.block_share.reshape(len(rows), -1), rows.reshape(len(rows), -1))

    def log_prior(self, log_weights: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        """ln prior density of the logits of theta, (C,): over the rows of all tables the sum of sum
        alpha ln theta - ln B(alpha), B the multivariate beta function. ``log_weights`` (C, H, F)
        are normalised, ``alpha`` is (F,). Sums start at the peak, 1 / K: no large terms cancel.
        """
        n_values = self.kernel.n_values
        peak = log_dirichlet_peak(alpha, n_values) / n_values  # a share for each value of a row
        x = log_weights + np.log(n_values)
        return self.total(peak + alpha * (x - np.expm1(x)))  # the sum of expm1 over a row is 0

    def row_sums(self, slots: np.ndarray) -> np.ndarray:
        """Sum of ``slots`` over the values of each variable: (C, H, F) to (C, H, variables)."""
        if self.kernel.scaled:  # the matrix of a product would be large
            return np.add.reduceat(slots, self.kernel.first, axis=-1)
        return np.matmul(slots, self.kernel.block)

    def spread(self, rows: np.ndarray) -> np.ndarray:
        """Repeat ``rows``, a number for each row of a table, for each value of the row: (C, H,
        variables) to (C, H, F).
        """
        return rows[..., self.kernel.variable]

    def _blocks(self, slots: np.ndarray) -> np.ndarray:
        """Slots (C, H, F) as vectors: (blocks, H F, LANES), the last items repeated to fill up."""
        full = np.resize(np.arange(len(slots)), -(-len(slots) // LANES) * LANES)
        flat = slots.reshape(len(slots), -1)[full].reshape(-1, LANES, slots[0].size)
        return np.ascontiguousarray(flat.transpose(0, 2, 1))

    def log_likelihood(self, weights: np.ndarray) -> np.ndarray:
        """ln p(y given theta) = sum over cells of count ln P(cell), in nats, (C,), for ``weights``
        (C, H, F).
        """
        return log_likelihoods(self._blocks(weights), self.kernel.cells).ravel()[: len(weights)]

    def expected_counts(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """E-step: the sum over cells of count ln P(cell), in nats, (C,), and the expected counts of
        each slot, (C, H, F), summed over the states that share its row. ``weights`` (C, H, F) need
        not be normalised.
        """
        values, counts = self.completions(weights)
        return values, self.pool(counts)

    def completions(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sum over cells of count ln P(cell), in nats, (C,), and the expected counts of each
        slot, (C, H, F), in its own joint hidden state alone, whether slots are tied or not.
        ``weights`` (C, H, F) need not be normalised.
        """
        blocks = self._blocks(weights)
        counts = np.empty_like(blocks)
        values = all_expected_counts(blocks, self.kernel.cells, counts)
        counts = counts.transpose(0, 2, 1).reshape(-1, *weights.shape[1:])[: len(weights)]
        return values.ravel()[: len(weights)], np.ascontiguousarray(counts)

    def pool(self, counts: np.ndarray) -> np.ndarray:
        """Sum the ``counts`` (C, H, F) of every row over the joint states that share it, in place;
        returns the same array.
        """
        for i, pool in enumerate(self.kernel._pool):
            np.copyto(counts, np.matmul(pool, counts), where=self._pooled[:, i])
        return counts
