"""Variational Bayesian EM: the bound F of Beal & Ghahramani (2003, eq. 5), maximised over q(s)
q(theta) (eq. 6 and 7).
"""

from dataclasses import dataclass
from typing import NamedTuple

import lazy_loader as lazy
import numpy as np
import scipy

from latentdag.inference.em.fixed_point import Algorithm, steps
from latentdag.inference.slots import Batch

# numba takes a second to import
vbem = lazy.load("latentdag.inference.em.lanes.vbem", suppress_warning=True)


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
    objective, _, u = steps(_problem(batch, alpha), log_weights)
    return objective, u, batch.row_sums(u)


def expected_log(batch: Batch, u: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """E[ln theta] = psi(u) - psi(row sum of u) under Dirichlet(u): slots (C, H, F) from ``u``
    (C, H, F) and its row sums (C, H, variables).
    """
    return scipy.special.psi(u) - batch.spread(scipy.special.psi(sums))


@dataclass(frozen=True)
class VBEM(Algorithm):
    """One iteration of variational Bayesian EM: the objective is `bound`, the next log weights are
    E[ln theta].

    ``alpha`` has shape (F,), or (S, H, F) for a prior of its own for each of the kernel's
    structures. Extrapolation may lead anywhere: F is defined, and a bound, for any q(s)
    proportional to a product of positive weights.
    """

    alpha: np.ndarray

    def problem(self, batch: Batch) -> NamedTuple:
        return _problem(batch, self.alpha if self.alpha.ndim == 1 else self.alpha[batch.items])


def _problem(batch: Batch, alpha: np.ndarray) -> NamedTuple:
    return vbem.problem(batch, alpha)
