"""Variational Bayesian EM that estimates the prior as well: the bound F maximised over alpha and
alpha_hidden too (Beal's thesis, eq. 2.79 and figure 2.5).

The fixed-point iteration moves a fit's log weights and its two prior parameters together, as one
array (H, F + 2): `WithPrior` appends ln alpha and ln alpha_hidden as two columns, the same for
every joint hidden state. For given expected counts F splits in a function of each of them. A step
moves each uphill before it updates q(theta), so that F never falls.
"""

from dataclasses import dataclass
from math import exp

import numpy as np

from latentdag.fits.vbem import expected_log
from latentdag.kernel import Batch, Kernel
from latentdag.model import MAX_ALPHA, MIN_ALPHA, Prior
from latentdag.special import digamma_difference, log_gamma_ratio

LOG_LIMITS = np.log([MIN_ALPHA, MAX_ALPHA])
LONGEST = 2.0  # of a step in ln alpha
DELTA = 0.1  # difference in ln alpha that gives the curvature; trigamma would cost ten times more
HALVINGS = 30  # of a step that leads downhill
SLACK = 1e-10  # nats: a fall that is rounding, far below what the iteration takes for it


class WithPrior:
    """What the fixed-point iteration needs of ``kernel``, for log weights with two more columns."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.n_coordinates, self.batch_size = kernel.n_coordinates, kernel.batch_size
        # which of the two prior parameters a column, and a variable, has: of the observed, then
        # of the hidden variables
        n_observed = len(kernel.family.observed)
        self.of_column = (kernel.variable >= n_observed).astype(int)
        self.of_variable = (np.arange(kernel.block.shape[1]) >= n_observed).astype(int)
        which = np.arange(2)[:, None, None]
        everyone = kernel.batch(np.arange(len(kernel.n_coordinates)))
        self._column_share = everyone.share[:, None] * (self.of_column == which)
        self._row_share = everyone.block_share[:, None] * (self.of_variable == which)
        both = np.full((*everyone.share.shape[:2], 2), 1 / kernel.n_states)
        self._share = np.concatenate([everyone.share, both], axis=2)

    def batch(self, items: np.ndarray) -> "_Fits":
        """A batch of fits whose c-th belongs to structure ``items[c]``."""
        items = np.asarray(items)
        flat = (len(items), 2, -1)
        return _Fits(
            self,
            self.kernel.batch(items),
            self._share[items],
            self._column_share[items].reshape(flat),
            self._row_share[items].reshape(flat),
        )

    def begin(self, log_weights: np.ndarray, prior: Prior) -> np.ndarray:
        """Log weights (H, F) with the parameters of ``prior`` beside them, (H, F + 2)."""
        columns = np.broadcast_to(np.log([prior.alpha, prior.alpha_hidden]), (len(log_weights), 2))
        return np.concatenate([log_weights, columns], axis=1)

    def in_one_state(self, prior: Prior) -> np.ndarray:
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


@dataclass(frozen=True)
class _Fits:
    """A batch of C fits: ``share`` (C, H, F + 2) undoes the ties of all columns, the other two,
    (C, 2, H F) and (C, 2, H variables), those of the parts that alpha and alpha_hidden belong to.
    """

    kernel: WithPrior
    batch: Batch
    share: np.ndarray
    column_share: np.ndarray
    row_share: np.ndarray

    def total(self, slots: np.ndarray) -> np.ndarray:
        """Sum over the parameters of each fit: (C, H, F + 2) to (C,)."""
        return np.vecdot(self.share.reshape(len(slots), -1), slots.reshape(len(slots), -1))

    def difference(self, slots: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Sum over the values, (C, H, F), less that over the rows, (C, H, variables), of all tables
        that one prior parameter belongs to: (C, 2).
        """
        of_slots = np.vecdot(self.column_share, slots.reshape(len(slots), 1, -1))
        return of_slots - np.vecdot(self.row_share, rows.reshape(len(rows), 1, -1))


class _GivenCounts:
    """ln p(y, s given alpha) for expected counts as a function of ln alpha and ln alpha_hidden,
    (C, 2): sum over rows of ln B(alpha + counts) - ln B(alpha), B the multivariate beta function.
    """

    def __init__(self, fits: _Fits, counts: np.ndarray):
        self.fits, self.counts = fits, counts
        self.row_counts = fits.batch.row_sums(counts)
        kernel = fits.kernel.kernel
        self._row_values = kernel.n_values @ kernel.block / kernel.block.sum(axis=0)

    def prior(self, log_alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Dirichlet parameters of the columns (C, 1, F); their sums by row (C, 1, variables)."""
        alpha = np.exp(log_alpha)[:, None]
        of_row = self._row_values * alpha[..., self.fits.kernel.of_variable]
        return alpha[..., self.fits.kernel.of_column], of_row

    def value(self, log_alpha: np.ndarray) -> np.ndarray:
        """In nats, (C, 2): the part of alpha and that of alpha_hidden."""
        alpha, of_row = self.prior(log_alpha)
        return self.fits.difference(
            log_gamma_ratio(alpha, self.counts), log_gamma_ratio(of_row, self.row_counts)
        )

    def slope(self, log_alpha: np.ndarray) -> np.ndarray:
        """Derivatives of `value` in ln alpha and ln alpha_hidden, (C, 2)."""
        alpha, of_row = self.prior(log_alpha)
        return self.fits.difference(
            alpha * digamma_difference(alpha, self.counts),
            of_row * digamma_difference(of_row, self.row_counts),
        )

    def uphill(self, log_alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`value` at ``log_alpha``, a point that is not lower, and the curvature that the step to
        there rests on, (C, 2) each.

        Newton's step, or LONGEST where that is longer or the function not concave; within the
        limits of the prior; halved until it does not lead downhill.
        """
        value, slope = self.value(log_alpha), self.slope(log_alpha)
        curvature = (slope - self.slope(log_alpha + DELTA)) / DELTA
        curvature = np.maximum(curvature, np.abs(slope) / LONGEST)
        step = np.divide(slope, curvature, out=np.zeros_like(slope), where=curvature > 0)
        for _ in range(HALVINGS):
            new = np.clip(log_alpha + step, *LOG_LIMITS)
            lower = self.value(new) < value - SLACK
            if not lower.any():
                return value, new, curvature
            step[lower] /= 2
        return value, np.where(lower, log_alpha, new), curvature


class EmpiricalBayes:
    """One iteration of variational Bayesian EM with the prior's parameters among the unknowns, for
    fits of `WithPrior`.
    """

    def step(
        self, fits: _Fits, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """F in nats, (C,), the next log weights and what their squares are weighed by: the
        Dirichlet parameters of q(theta), and the curvatures of F in ln alpha and ln alpha_hidden;
        (C, H, F + 2) each.
        """
        batch = fits.batch
        weights, log_alpha = log_weights[..., :-2], log_weights[:, 0, -2:]
        log_sum, counts = batch.expected_counts(np.exp(weights))
        given = _GivenCounts(fits, counts)
        value, log_alpha, curvature = given.uphill(log_alpha)
        alpha, of_row = given.prior(log_alpha)
        u = counts + alpha
        weights_next = expected_log(batch, u, given.row_counts + of_row)
        objective = log_sum - batch.total(counts * weights) + value.sum(axis=1)
        return objective, _beside(weights_next, log_alpha), _beside(u, curvature)

    def feasible(self, fits: _Fits, log_weights: np.ndarray) -> np.ndarray:
        """``log_weights`` with alpha and alpha_hidden within the limits of the prior."""
        log_weights[..., -2:] = np.clip(log_weights[..., -2:], *LOG_LIMITS)
        return log_weights


def estimates_of_prior(log_weights: np.ndarray) -> tuple[float, float]:
    """alpha and alpha_hidden of a fit's log weights (H, F + 2); at a limit of their range exactly
    that.
    """
    limits = dict(zip(LOG_LIMITS.tolist(), (MIN_ALPHA, MAX_ALPHA), strict=True))
    alpha, alpha_hidden = (limits.get(x, exp(x)) for x in log_weights[0, -2:].tolist())
    return alpha, alpha_hidden


def _beside(slots: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Slots (C, H, F) and two numbers per fit (C, 2) as (C, H, F + 2)."""
    columns = np.broadcast_to(both[:, None], (*slots.shape[:2], 2))
    return np.concatenate([slots, columns], axis=2)
