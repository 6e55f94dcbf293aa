"""Variational Bayesian EM: the bound F of Beal & Ghahramani (2003, eq. 5), maximised over q(s)
q(theta) (eq. 6 and 7).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import psi

from latentdag.kernel import Batch
from latentdag.special import log_gamma_ratio


def bound(
    batch: Batch, log_weights: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """F in nats (C,), the Dirichlet parameters of q(theta) (C, H, F), and their row sums (C, H,
    variables).

    q(s) is proportional to the product of the weights, jointly for all hidden variables of a case;
    q(theta) is optimal for it, Dirichlet(alpha + expected counts). Then F = entropy of q(s) + sum
    over rows of ln B(alpha + counts) - ln B(alpha), with B the multivariate beta function.
    ``alpha`` has shape (F,), or (C, H, F) for a prior of each item's own.

    At the weights of a point estimate theta_hat this is the Cheeseman-Stutz score (thesis eq.
    2.133), with q(s) = p(s given y, theta_hat): hence cs <= vb (thesis cor. 2.5).
    """
    log_sum, counts = batch.expected_counts(np.exp(log_weights))
    entropy = log_sum - batch.total(counts * log_weights)
    log_ratio, u, sums = log_evidence_of(batch, counts, alpha)
    return entropy + log_ratio, u, sums


def log_evidence_of(
    batch: Batch, counts: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sum over rows of ln B(alpha + counts) - ln B(alpha), (C,), for counts (C, H, F); the
    Dirichlet parameters alpha + counts (C, H, F) and their row sums (C, H, variables).

    For counts of completed cases the first is their ln evidence, in nats.
    """
    row_counts, row_alpha = batch.row_sums(counts), alpha @ batch.kernel.block
    log_ratio = batch.total(log_gamma_ratio(alpha, counts))
    log_ratio -= batch.block_total(log_gamma_ratio(row_alpha, row_counts))
    return log_ratio, counts + alpha, row_counts + row_alpha


def expected_log(batch: Batch, u: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """E[ln theta] = psi(u) - psi(row sum of u) under Dirichlet(u): slots (C, H, F) from ``u``
    (C, H, F) and its row sums (C, H, variables).
    """
    return psi(u) - batch.spread(psi(sums))


@dataclass(frozen=True)
class VBEM:
    """One iteration of variational Bayesian EM: next log weights E[ln theta].

    ``alpha`` has shape (F,), or (S, H, F) for a prior of its own for each of the kernel's
    structures.
    """

    alpha: np.ndarray

    def step(
        self, batch: Batch, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        alpha = self.alpha if self.alpha.ndim == 1 else self.alpha[batch.items]
        objective, u, sums = bound(batch, log_weights, alpha)
        return objective, expected_log(batch, u, sums), u

    def feasible(self, batch: Batch, log_weights: np.ndarray) -> np.ndarray:
        # F is defined, and a bound, for any q(s) proportional to a product of positive weights
        return log_weights
