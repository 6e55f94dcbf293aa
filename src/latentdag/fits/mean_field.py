"""Variational Bayesian EM with a factorised q(s): every hidden variable of a case has a q of its
own (Beal's thesis, eq. 2.39 to 2.42, in place of the joint q(s) of eq. 2.54).

Cases in one cell have the same q. So the log weights that the fixed-point iteration works on are
ln q(k | cell), an array (K, N): all values of the first hidden variable, then those of the next, by
the N cells that occur. `MeanField` stands in for the kernel there, `MeanFieldBatch` for its batch.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from latentdag.fits.fixed_point import SECANTS
from latentdag.fits.vbem import expected_log, log_evidence_of
from latentdag.kernel import Kernel

# cells times joint hidden states times items in one batch: its arrays stay in cache
CACHE_STATES = 40_000
HELD = 2**22  # numbers in all fits that are held at once: 32 MB


class MeanField:
    """The structures of ``kernel``, all with two hidden variables or more, and the cells that occur
    in its counts.
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.n_coordinates = kernel.n_coordinates
        family, counts = kernel.family, kernel.counts.reshape(-1)
        occupied = np.flatnonzero(counts)
        self.counts = counts[occupied]
        ends = np.cumsum(family.hidden)
        # rows of ln q that belong to each hidden variable
        self.rows = [slice(end - k, end) for end, k in zip(ends, family.hidden, strict=True)]
        self.ones = np.ones((ends[-1], len(occupied)))
        # 0/1 matrix (N, F of the observed variables + 1) that sums cells by the value of each
        # observed variable, and in its last column all cells
        values = np.unravel_index(occupied, family.observed)
        blocks = [v[:, None] == np.arange(k) for v, k in zip(values, family.observed, strict=True)]
        self.design = np.hstack([*blocks, self.ones[:1].T])
        self.batch_size = int(np.clip(CACHE_STATES // (len(occupied) * kernel.n_states), 1, 64))
        # fits that may be held at once, each with its log weights and two more arrays per secant
        self.at_once = max(1, HELD // (self.ones.size * (1 + 2 * SECANTS)))

    def batch(self, items: np.ndarray) -> "MeanFieldBatch":
        """A batch of fits whose c-th belongs to structure ``items[c]``."""
        return MeanFieldBatch(self, items)

    def start(self, item: int, log_weights: np.ndarray) -> np.ndarray:
        """ln q (K, N) from log weights (H, F) of structure ``item``: the marginals of the joint
        p(s given cell) that is proportional to their product.
        """
        joint = self.batch([item]).log_joint(log_weights[None])[0]
        axes = range(joint.ndim - 1)
        marginals = [logsumexp(joint, axis=tuple(a for a in axes if a != i)) for i in axes]
        return np.concatenate([x - logsumexp(x, axis=0) for x in marginals])

    def log_weights(self, item: int, log_q: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        """E[ln theta] as slots (H, F), under the q(theta) that is optimal for ln q (K, N).

        VBEM that starts there has a bound no lower: its q(s) may be any.
        """
        batch = self.batch([item])
        counts = batch.expected_counts(np.exp(log_q[None]))
        _, u, sums = log_evidence_of(batch.slots, counts, alpha)
        return expected_log(batch.slots, u, sums)[0]


class MeanFieldBatch:
    """C fits evaluated together. Their log weights are not tied: ``share`` is 1 throughout."""

    def __init__(self, mean_field: MeanField, items: np.ndarray):
        self.mean_field = mean_field
        self.slots = mean_field.kernel.batch(items)
        self.share = mean_field.ones

    def total(self, x: np.ndarray) -> np.ndarray:
        """Sum over the log weights of each fit: (C, K, N) to (C,)."""
        return np.vecdot(self.share.reshape(-1), x.reshape(len(x), -1))

    def along(self, i: int, q: np.ndarray) -> np.ndarray:
        """The q of hidden variable i, from (C, K, N), shaped to be multiplied with an array (C,
        states of each hidden variable, N).
        """
        hidden = self.mean_field.kernel.family.hidden
        shape = [k if j == i else 1 for j, k in enumerate(hidden)]
        return q[:, self.mean_field.rows[i]].reshape(len(q), *shape, -1)

    def expected_counts(self, q: np.ndarray) -> np.ndarray:
        """Expected counts behind every slot, (C, H, F), with q (C, K, N)."""
        m = self.mean_field
        completions = m.counts
        for i in range(len(m.rows)):
            completions = completions * self.along(i, q)
        summed = np.matmul(completions.reshape(len(q), m.kernel.n_states, -1), m.design)
        counts = np.empty((len(q), m.kernel.n_states, m.kernel.n_columns))
        counts[:, :, : summed.shape[2] - 1] = summed[:, :, :-1]
        return self.slots.tie(counts, summed[:, :, -1])

    def log_joint(self, log_weights: np.ndarray) -> np.ndarray:
        """Sum of the log weights (C, H, F) of each completed cell: (C, states of each hidden
        variable, N).
        """
        m = self.mean_field
        n_observed = m.design.shape[1] - 1
        columns = log_weights[:, :, : n_observed + 1].copy()
        columns[:, :, -1] = 0  # the last column of the design is 1: what all cells have
        for slots in m.kernel.state_slots:
            columns[:, :, -1] += log_weights.reshape(len(log_weights), -1)[:, slots]
        joint = np.matmul(columns, m.design.T)
        return joint.reshape(len(columns), *m.kernel.family.hidden, -1)


@dataclass(frozen=True)
class MeanFieldVBEM:
    """One iteration: q(theta) for the present q(s), then q of each hidden variable in turn, given
    those of the others. ``alpha`` has shape (F,).

    Every update is the best for what the others are, so that the bound never decreases: entropy of
    q(s) + sum over rows of ln B(alpha + counts) - ln B(alpha), as in `vbem.bound`.
    """

    alpha: np.ndarray

    def step(
        self, batch: MeanFieldBatch, log_q: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bound at ln q (C, K, N), in nats (C,); the next ln q, and count times q, (C, K, N)
        each.
        """
        m = batch.mean_field
        q = np.exp(log_q)
        mass = m.counts * q
        log_ratio, u, sums = log_evidence_of(batch.slots, batch.expected_counts(q), self.alpha)
        objective = log_ratio - batch.total(mass * log_q)
        joint = batch.log_joint(expected_log(batch.slots, u, sums))
        after = np.empty_like(log_q)
        for i, rows in enumerate(m.rows):
            # thesis eq. 2.42: ln q of one, up to a constant, is the mean over all others
            mean = joint
            for j in range(len(m.rows)):
                if j != i:
                    mean = (mean * batch.along(j, q)).sum(axis=1 + j, keepdims=True)
            after[:, rows] = _log_normalise(mean.reshape(len(q), -1, q.shape[2]))
            q[:, rows] = np.exp(after[:, rows])
        return objective, after, mass

    def feasible(self, batch: MeanFieldBatch, log_q: np.ndarray) -> np.ndarray:
        """ln q (C, K, N) whose q sums to 1 for each hidden variable and cell."""
        return np.concatenate([_log_normalise(log_q[:, r]) for r in batch.mean_field.rows], axis=1)


def _log_normalise(x: np.ndarray) -> np.ndarray:
    """Logarithms of unnormalised weights (C, K, N) to logarithms of probabilities over axis 1."""
    x = x - x.max(axis=1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=1, keepdims=True))
