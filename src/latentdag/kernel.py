"""The batched kernel that EM, variational Bayes and every sampler share: cell probabilities, ln
likelihood, expected counts.

A batch holds C *items*: parameter settings of one or more structures with the same hidden
cardinalities, all for one table of counts. The parameters of an item lie in one array of *slots*,
shape (H, F): H joint hidden states by F columns, one column per value of each observed and then
each hidden variable. ``weights[c, h, f]`` is the probability of value f of its variable given joint
state h. A variable that does not depend on a hidden variable has the same row for all its states:
such copies are *tied*, and ``share`` (one over the number of copies) makes a sum over slots count
every parameter once.

With the observed variables in two halves, A[h, a] = p(h) times the left half's weights and B[h, b]
the right half's, the cell probabilities are the matrix product P = A' B, and with R = counts / P
the expected completions are A o (B R') and B o (A R): an E-step without a logarithm or exponential.
Every operation acts on each item by itself, in the same order whatever the batch, so that an item's
numbers do not depend on its companions, to the bit.
"""

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from latentdag.model import Parameters, Prior
from latentdag.special import log_dirichlet_peak
from latentdag.structures import Family, Structure

# cells times items in one batch: three arrays of doubles of this length stay in a 1 MB cache
CACHE_CELLS = 40_000


def by_hidden_family(
    structures: Sequence[Structure],
) -> Iterator[tuple[np.ndarray, list[Structure]]]:
    """Indices and childless-free forms of the structures, grouped by the cardinalities of their
    active hidden variables.
    """
    reduced = [s.without_childless() for s in structures]
    for hidden in sorted({s.family.hidden for s in reduced}):
        index = np.array([i for i, s in enumerate(reduced) if s.family.hidden == hidden])
        yield index, [reduced[i] for i in index]


class Kernel:
    """Slots and cell computations for ``structures`` (all with the same hidden cardinalities, none
    childless) and ``counts``.

    ``counts`` has shape ``family.observed``. A kernel owns scratch arrays: use one per thread.
    """

    def __init__(self, structures: Sequence[Structure], counts: np.ndarray):
        self.family = family = structures[0].family
        self._parents = [s.parents for s in structures]
        if any(s.family != family for s in structures):
            raise ValueError("all structures of one kernel must belong to the same family")
        n_hidden, n_observed, self.n_states = (
            len(family.hidden),
            len(family.observed),
            family.n_states,
        )
        cardinalities = family.observed + family.hidden
        ends = np.cumsum(cardinalities)
        starts = ends - cardinalities
        self.n_columns = int(ends[-1])
        self.variable = np.repeat(
            np.arange(len(cardinalities)), cardinalities
        )  # which variable a column belongs to
        self.block = (self.variable[:, None] == np.arange(len(cardinalities))).astype(float)
        # of a column's variable
        self.n_values = np.repeat(np.array(cardinalities, dtype=float), cardinalities)
        self.digits = np.indices(family.hidden).reshape(
            n_hidden, self.n_states
        )  # state of each hidden variable
        # slots of p(s_i = its state in h), one row per hidden variable
        columns = starts[n_observed:, None] + self.digits
        self.state_slots = np.arange(self.n_states) * self.n_columns + columns
        # pool[i] sums over the states of hidden variable i
        differs = self.digits[:, :, None] != self.digits[:, None, :]
        others = differs.sum(axis=0)[None] - differs
        self._pool = (others == 0).astype(float)

        depends = np.zeros((len(structures), n_hidden, len(cardinalities)), dtype=bool)
        for s, structure in enumerate(structures):
            for j, parents in enumerate(structure.parents):
                depends[s, list(parents), j] = True
        copies = np.ones((len(structures), len(cardinalities)))
        for i, k in enumerate(family.hidden):
            copies *= np.where(depends[:, i], 1, k)
        shape = (len(structures), self.n_states, -1)
        self._block_share = np.ascontiguousarray(
            np.broadcast_to(1 / copies[:, None], (*shape[:2], len(cardinalities)))
        )
        self._share = np.ascontiguousarray(self._block_share[:, :, self.variable])
        self._pooled = ~depends[:, :, None, self.variable]
        self._coordinates, self.n_coordinates = _coordinates(
            depends, self.digits, family, self.variable
        )

        self._split_cells(family.observed, starts)
        self.counts = np.asarray(counts, dtype=float).reshape(self._n_left, self._n_right)
        self._empty = (self.counts == 0).astype(float)
        # the count of every column if all variables were independent and hidden ones uniform
        observed = [
            np.moveaxis(np.asarray(counts, dtype=float), j, 0).reshape(k, -1).sum(1)
            for j, k in enumerate(family.observed)
        ]
        self.margins = np.concatenate(
            [*observed, *(np.full(k, self.counts.sum() / k) for k in family.hidden)]
        )
        self.batch_size = int(np.clip(CACHE_CELLS // self.counts.size, 1, 64))
        self._cells = np.empty((2, self.batch_size, *self.counts.shape))

    def _split_cells(self, observed: tuple[int, ...], starts: np.ndarray) -> None:
        """Choose the halves A and B so that the fewest entries are formed, and the matrices that
        sum their cells by value.
        """
        split = min(
            range(1, len(observed) + 1), key=lambda s: prod(observed[:s]) + prod(observed[s:])
        )
        columns = [slice(a, a + k) for a, k in zip(starts, observed, strict=False)]
        self._left, self._right = columns[:split], columns[split:]
        self._n_left, self._n_right = prod(observed[:split]), prod(observed[split:])
        self._sum_left = np.hstack([_indicators(observed[:split]), np.ones((self._n_left, 1))])
        self._sum_right = _indicators(observed[split:])

    def parts(self, indices: np.ndarray) -> list[np.ndarray]:
        """``indices`` in pieces that fit one batch."""
        return np.split(indices, range(self.batch_size, len(indices), self.batch_size))

    def batch(self, items: np.ndarray) -> "Batch":
        """A batch of settings whose c-th item belongs to structure ``items[c]``; at most
        ``batch_size`` of them.
        """
        return Batch(self, np.asarray(items))

    def prior_slots(self, prior: Prior) -> np.ndarray:
        """The Dirichlet parameter of every column, shape (F,)."""
        n_observed = sum(self.family.observed)
        return np.where(np.arange(self.n_columns) < n_observed, prior.alpha, prior.alpha_hidden)

    def expand(self, item: int, coordinates: np.ndarray) -> np.ndarray:
        """Untied parameters of structure ``item``, shape (n_coordinates,), as slots (H, F)."""
        return coordinates[self._coordinates[item]].reshape(self.n_states, self.n_columns)

    def untied(self, item: int, columns: np.ndarray) -> np.ndarray:
        """A number per column (F,) for every untied parameter of structure ``item``,
        (n_coordinates,).
        """
        values = np.empty(self.n_coordinates[item])
        values[self._coordinates[item]] = np.tile(columns, self.n_states)
        return values

    def pack(self, item: int, parameters: Parameters) -> np.ndarray:
        """Slots (H, F) of ``parameters`` of structure ``item``."""
        return self.expand(
            item,
            np.concatenate([rows.ravel() for rows in (*parameters.observed, *parameters.hidden)]),
        )

    def unpack(self, item: int, slots: np.ndarray) -> Parameters:
        """Parameters of structure ``item`` from its slots (H, F)."""
        coordinates = np.empty(self.n_coordinates[item])
        coordinates[self._coordinates[item]] = slots.ravel()
        n_observed = len(self.family.observed)
        rows = [prod(self.family.hidden[i] for i in p) for p in self._parents[item]] + [1] * len(
            self.family.hidden
        )
        sizes = np.multiply(rows, self.family.observed + self.family.hidden)
        tables = np.split(coordinates, np.cumsum(sizes)[:-1])
        return Parameters(
            tuple(tables[n_observed:]),
            tuple(
                t.reshape(-1, k)
                for t, k in zip(tables[:n_observed], self.family.observed, strict=True)
            ),
        )

    def log_normalise(self, slots: np.ndarray) -> np.ndarray:
        """Logarithms of unnormalised weights to logarithms of probabilities, (H, F)."""
        sums = np.logaddexp.reduceat(
            slots, np.flatnonzero(np.diff(self.variable, prepend=-1)), axis=1
        )
        return slots - sums[:, self.variable]


def _indicators(cardinalities: tuple[int, ...]) -> np.ndarray:
    """0/1 matrix (cells, sum of cardinalities) that sums cells in C order by the value of each
    variable.
    """
    values = np.indices(cardinalities).reshape(len(cardinalities), prod(cardinalities))
    blocks = [v[:, None] == np.arange(k) for v, k in zip(values, cardinalities, strict=True)]
    return np.hstack([np.empty((prod(cardinalities), 0)), *blocks]).astype(float)


def _coordinates(depends, digits, family: Family, variable) -> tuple[np.ndarray, np.ndarray]:
    """For each structure and slot the index of its parameter among the untied ones, (S, H * F), and
    their number, (S,).
    """
    cardinalities = family.observed + family.hidden
    n_observed = len(family.observed)
    value = np.concatenate([np.arange(k) for k in cardinalities])
    index, totals = [], []
    for d in depends:
        rows, offsets, total = [], [], 0
        for b, k in enumerate(cardinalities):
            parents = np.flatnonzero(d[:, b]) if b < n_observed else []
            row, n_rows = np.zeros(digits.shape[1], dtype=np.int64), 1
            for i in parents:
                row = row * family.hidden[i] + digits[i]
                n_rows *= family.hidden[i]
            rows.append(total + row * k)
            offsets.append(total)
            total += n_rows * k
        index.append((np.array(rows)[variable].T + value).ravel())
        totals.append(total)
    return np.array(index), np.array(totals)


class Batch:
    """C parameter settings evaluated together; ``share`` (C, H, F) and ``block_share`` (C, H,
    variables) undo the ties.
    """

    def __init__(self, kernel: Kernel, items: np.ndarray):
        self.kernel, self.items = kernel, items
        self.share = kernel._share[items]
        self.block_share = kernel._block_share[items]
        self._pooled = kernel._pooled[items]
        self._coordinates = kernel._coordinates[items]
        self._flat: np.ndarray | None = None

    def total(self, slots: np.ndarray) -> np.ndarray:
        """Sum over the parameters of each item: (C, H, F) to (C,), each tied parameter counted
        once.
        """
        return np.vecdot(self.share.reshape(len(slots), -1), slots.reshape(len(slots), -1))

    def block_total(self, rows: np.ndarray) -> np.ndarray:
        """Sum over the rows of each item's tables: (C, H, variables) to (C,)."""
        return np.vecdot(self.block_share.reshape(len(rows), -1), rows.reshape(len(rows), -1))

    def log_prior(self, log_weights: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        """ln prior density of the logits of theta, (C,): the sum over the rows of all tables of
        sum alpha ln theta - ln B(alpha), B the multivariate beta function.

        ``log_weights`` (C, H, F) are ln theta, normalised; ``alpha`` has shape (F,). The sum is
        taken from the density's peak, theta = 1 / K, so that no large terms cancel at large alpha.
        """
        n_values = self.kernel.n_values
        peak = log_dirichlet_peak(alpha, n_values) / n_values  # a share for each value of a row
        x = log_weights + np.log(n_values)
        return self.total(peak + alpha * (x - np.expm1(x)))  # the sum of expm1 over a row is 0

    def row_sums(self, slots: np.ndarray) -> np.ndarray:
        """Sum over the values of each variable: (C, H, F) to (C, H, variables)."""
        return np.matmul(slots, self.kernel.block)

    def spread(self, rows: np.ndarray) -> np.ndarray:
        """Repeat a number per row of a table for each value: (C, H, variables) to (C, H, F)."""
        return np.matmul(rows, self.kernel.block.T)

    def table_rows(self) -> np.ndarray:
        """Number of rows of the table that each slot belongs to, (C, H, F)."""
        return self.kernel.n_states * self.share

    def expand(self, coordinates: np.ndarray) -> np.ndarray:
        """Untied parameters (C, D), padded to one D for all calls, to slots (C, H, F)."""
        if self._flat is None:
            self._flat = (
                np.arange(len(coordinates))[:, None] * coordinates.shape[1] + self._coordinates
            ).reshape(self.share.shape)
        return coordinates.reshape(-1).take(self._flat)

    def _halves(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = self.kernel
        left = np.ones((len(weights), k.n_states))
        for slots in k.state_slots:
            left = left * weights.reshape(len(weights), -1)[:, slots]
        left = left[:, :, None]
        for columns in k._left:
            left = (left[..., None] * weights[:, :, None, columns]).reshape(
                len(weights), k.n_states, -1
            )
        if not k._right:
            return left, np.ones((len(weights), k.n_states, 1))
        right = weights[:, :, k._right[0]]
        for columns in k._right[1:]:
            right = (right[..., None] * weights[:, :, None, columns]).reshape(
                len(weights), k.n_states, -1
            )
        return left, right

    def _cells(self, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cell probabilities (C, left cells, right cells) in scratch memory, and the sum of count
        ln P, (C,).
        """
        cells = np.matmul(left.transpose(0, 2, 1), right, out=self.kernel._cells[0, : len(left)])
        log_sum = self._log_sum(cells)
        if not np.isfinite(log_sum).all():
            # P underflows somewhere: harmless in an empty cell, whose P never counts; elsewhere
            # -inf is what is meant
            cells += self.kernel._empty
            log_sum = self._log_sum(cells)
        return cells, log_sum

    def _log_sum(self, cells: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(cells, out=self.kernel._cells[1, : len(cells)])
            return np.vecdot(logs.reshape(len(cells), -1), self.kernel.counts.reshape(-1))

    def log_likelihood(self, weights: np.ndarray) -> np.ndarray:
        """ln p(y given theta) = sum over cells of count ln P(cell), in nats: (C, H, F) to (C,)."""
        return self._cells(*self._halves(weights))[1]

    def expected_counts(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """E-step: sum over cells of count ln P(cell), (C,), and the expected counts behind every
        slot, (C, H, F).

        ``weights`` need not be normalised (VBEM passes exp E[ln theta]); the responsibilities of
        the joint hidden states are. Tied slots hold the same count, the sum over all states that
        share the row.
        """
        k = self.kernel
        left, right = self._halves(weights)
        cells, log_sum = self._cells(left, right)
        ratio = np.divide(k.counts, cells, out=cells)
        left_counts = np.matmul(right, ratio.transpose(0, 2, 1))
        left_counts *= left
        right_counts = np.matmul(left, ratio)
        right_counts *= right
        n_left = k._sum_left.shape[1] - 1
        n_right = k._sum_right.shape[1]
        summed = np.matmul(left_counts, k._sum_left)
        counts = np.empty((len(weights), k.n_states, k.n_columns))
        counts[:, :, :n_left] = summed[:, :, :-1]
        counts[:, :, n_left : n_left + n_right] = np.matmul(right_counts, k._sum_right)
        return log_sum, self.tie(counts, summed[:, :, -1])

    def tie(self, counts: np.ndarray, of_states: np.ndarray) -> np.ndarray:
        """Expected counts from expected completions (C, H, F), in place: those of the hidden
        variables' columns are filled in from the joint states' own, (C, H), and those of every row
        are summed over the joint states that share it.
        """
        counts[:, :, sum(self.kernel.family.observed) :] = 0
        for slots in self.kernel.state_slots:
            counts.reshape(len(counts), -1)[:, slots] = of_states
        for i, pool in enumerate(self.kernel._pool):
            np.copyto(counts, np.matmul(pool, counts), where=self._pooled[:, i])
        return counts
