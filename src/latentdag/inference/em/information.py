"""The information that the hidden states take away, and the response of EM and of variational
Bayesian EM to a small change.

A case together with its hidden states picks one parameter of one row in every table. Let t be the
0/1 indicators of the parameters picked, and x the logarithms of the parameters. Then

    ln p(y given theta) = L(x) = sum over cells of count ln sum over hidden states of exp(x't).

Its gradient in x are the expected counts t_hat; its second derivative is C, the sum over cells of
count times the covariance of t over the hidden states given the cell. Both algorithms send x to a
function of u = alpha + t_hat(x); so the Jacobian of their map is J = Psi C, with Psi the derivative
of that function. In each row, U the sum of u:

    EM     next x = ln u - ln U          Psi = diag(1 / u) - 1 / U
    VBEM   next x = psi(u) - psi(U)      Psi = diag(trigamma(u)) - trigamma(U)

The second Psi is the covariance of ln theta under q(theta) = Dirichlet(u).

In the logits of theta, one of each row fixed, complete data have the information
U (diag(theta) - theta theta') in each row. The observed information -H is that less the covariance
of the complete-data scores (Louis 1982, J. R. Stat. Soc. B 44, 226-233). Psi of EM, with
u = U theta, is the inverse of the complete-data information, taken from logits to x. So det(-H) is
the determinant of the complete-data information times det(I - J), whichever logit is fixed
(Dempster, Laird & Rubin 1977, J. R. Stat. Soc. B 39, 1-38).
"""

from dataclasses import dataclass
from functools import cached_property, partial
from math import nan

import numpy as np
import scipy

from latentdag.data.counts import MISSING
from latentdag.inference.slots import Kernel

CHUNK = 2**17  # numbers in the largest array that is formed of some cells: 1 MB stays in cache


@dataclass(frozen=True)
class Statistics:
    """Complete-data statistics given the cases, for one structure: D parameters in R rows."""

    log_weights: np.ndarray  # (D,), x, which the responsibilities rest on
    alpha: np.ndarray  # (D,), the prior's Dirichlet parameters
    expected: np.ndarray  # (D,), expected counts
    covariance: np.ndarray  # (D, D), C
    first: np.ndarray  # (R,), the first parameter of each row

    @cached_property
    def row(self) -> np.ndarray:
        """The index of the row of each parameter, (D,)."""
        return np.searchsorted(self.first, np.arange(len(self.expected)), side="right") - 1

    @property
    def n_logits(self) -> int:
        """The number of logits, one of each row fixed."""
        return len(self.expected) - len(self.first)

    def row_sums(self, values: np.ndarray) -> np.ndarray:
        """Sums of ``values`` over the parameters of each row: (D, ...) to (R, ...)."""
        return np.add.reduceat(values, self.first, axis=0)


class CompleteData:
    """Completed cells as the structures of ``kernel`` see them; ``alpha`` (F,) is the prior's."""

    def __init__(self, kernel: Kernel, alpha: np.ndarray):
        self.kernel, self.alpha = kernel, alpha
        observed, n_hidden = kernel.family.observed, len(kernel.family.hidden)
        self.counts = kernel.counts[kernel.in_table_order]
        values = kernel.patterns[kernel.in_table_order]
        # A completed case picks one value of each observed variable; and of each hidden one the
        # state that it has, which is one column here, the joint state says which slot that is.
        # A missing value picks nothing: the one column more, after all others.
        nothing = sum(observed) + n_hidden
        columns = np.where(values == MISSING, nothing, values + kernel.first[: len(observed)])
        states = np.tile(sum(observed) + np.arange(n_hidden), (len(values), 1))
        self._picked = np.hstack([columns, states])  # (cells, J + hidden) columns
        slots = np.tile(np.arange(sum(observed)), (kernel.n_states, 1))
        state_slots = kernel.first[len(observed) :] + kernel.digits.T
        self._slots = np.hstack([slots, state_slots])  # (H, columns)

    def statistics(self, item: int, log_weights: np.ndarray) -> Statistics:
        """The `Statistics` of structure ``item`` of the kernel at ``log_weights`` (H, F): its
        responsibilities for a case are proportional to the product of the weights.
        """
        kernel = self.kernel
        n = int(kernel.n_coordinates[item])
        parameter = kernel.expand(item, np.arange(n))  # of each slot
        x = kernel.untie(item, log_weights)
        picks = np.take_along_axis(parameter, self._slots, axis=1)  # (H, columns)
        log_picks = np.pad(x[picks], ((0, 0), (0, 1)))  # the factor of what is missing is 1
        column = np.empty(n, dtype=int)
        column[picks] = np.arange(picks.shape[1])
        depends = np.zeros((kernel.n_states, n))  # whether a parameter is for this joint state
        np.put_along_axis(depends, picks, 1, axis=1)

        expected, covariance = np.zeros(n), np.zeros((n, n))
        length = max(1, CHUNK // max(parameter.size, n))
        for begin in range(0, len(self.counts), length):
            picked = self._picked[begin : begin + length]
            counts = self.counts[begin : begin + length]
            log_joint = log_picks[:, picked].sum(axis=2)  # (H, cells)
            joint = np.exp(log_joint - log_joint.max(axis=0))
            responsibilities = joint / joint.sum(axis=0)
            indicators = np.zeros((len(picked), log_picks.shape[1]))
            np.put_along_axis(indicators, picked, 1, axis=1)
            indicators = np.ascontiguousarray(indicators[:, :-1])
            mean = (responsibilities.T @ depends) * indicators[:, column]  # (cells, D)
            weighted = mean * counts[:, None]
            expected += weighted.sum(axis=0)
            covariance -= weighted.T @ mean
            for of_state, share in zip(picks, responsibilities * counts, strict=True):
                covariance[of_state[:, None], of_state] += (indicators.T * share) @ indicators
        first = kernel.row_starts(item)
        return Statistics(x, kernel.untied(item, self.alpha), expected, covariance, first)


def em_log_determinants(statistics: Statistics) -> tuple[float, float]:
    """For these ``statistics``, ln det of the complete-data information in the logits, and
    ln det(I - J), J the Jacobian of an EM step in the log weights; the latter nan where the
    observed information -H is not positive definite. Their sum is ln det(-H), at every normalised
    theta.
    """
    totals = statistics.row_sums(statistics.alpha + statistics.expected)
    # a row's information has the determinant U^(K - 1) prod theta, whichever of K logits is fixed
    ratio = statistics.log_weights + np.log(totals)[statistics.row]
    complete = float(ratio.sum() - np.log(totals).sum())
    return complete, _log_det(statistics, np.exp(-ratio), 1 / totals)


def vbem_log_determinant(statistics: Statistics) -> float:
    """ln det(I - J) for these ``statistics``, J the Jacobian of a VBEM step in the log weights; nan
    where I - J is not positive definite.
    """
    u = statistics.alpha + statistics.expected
    trigamma = partial(scipy.special.polygamma, 1)
    return _log_det(statistics, trigamma(u), trigamma(statistics.row_sums(u)))


def _symmetric(statistics: Statistics, scale: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """B'C B, (D, D), with B B' = Psi = diag(scale) - shared in each row, (D,) and (R,): it has the
    eigenvalues of Psi C.

    In a row with v = sqrt(shared / scale), Psi is sqrt(scale) (I - v v') sqrt(scale), and I - v v'
    is the square of I - c v v', c = (1 - sqrt(1 - v'v)) / v'v. For EM, where Psi is singular, v'v
    is 1.
    """
    row, root = statistics.row, np.sqrt(scale)
    v = np.sqrt(shared[row]) / root
    norm = statistics.row_sums(v * v)
    c = (1 - np.sqrt(np.maximum(1 - norm, 0))) / norm

    def times_root(matrix: np.ndarray) -> np.ndarray:
        scaled = root[:, None] * matrix
        return scaled - v[:, None] * (c[:, None] * statistics.row_sums(v[:, None] * scaled))[row]

    return times_root(times_root(statistics.covariance).T)


def _log_det(statistics: Statistics, scale: np.ndarray, shared: np.ndarray) -> float:
    """ln det(I - Psi C), Psi as in `_symmetric`; nan unless I - Psi C is positive definite."""
    symmetric = np.eye(len(statistics.expected)) - _symmetric(statistics, scale, shared)
    try:
        pivots = np.diagonal(np.linalg.cholesky(symmetric))
    except np.linalg.LinAlgError:
        return nan
    if pivots.min() ** 2 < len(pivots) * np.finfo(float).eps:  # such a pivot is all rounding
        return nan
    return float(2 * np.log(pivots).sum())
