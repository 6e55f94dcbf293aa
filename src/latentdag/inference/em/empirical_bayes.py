"""Variational Bayesian EM that estimates the prior as well: the bound F maximised over alpha and
alpha_hidden too (Beal's thesis, eq. 2.79 and figure 2.5).

The fixed-point iteration moves a fit's log weights and its two prior parameters together, as one
array (H, F + 2): `WithPrior` appends ln alpha and ln alpha_hidden as two columns, the same for
every joint hidden state. For given expected counts F splits in a function of each of them. A step
moves each uphill before it updates q(theta), so that F never falls.
"""

from math import exp
from typing import NamedTuple

import lazy_loader as lazy
import numpy as np

from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.em.vbem import expected_log
from latentdag.inference.slots import Batch, Kernel
from latentdag.model.parameters import MAX_ALPHA, MIN_ALPHA, Prior

# numba takes a second to import
empirical_bayes = lazy.load("latentdag.inference.em.lanes.empirical_bayes", suppress_warning=True)


class WithPrior:
    """What the fixed-point iteration needs of ``kernel``, for log weights with two more columns."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.n_coordinates, self.batch = kernel.n_coordinates, kernel.batch

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


class EmpiricalBayes(Algorithm):
    """One iteration of variational Bayesian EM with the prior's parameters among the unknowns, for
    log weights of `WithPrior`.

    The pseudo-counts that a step returns are what squares are weighed by: the Dirichlet parameters
    of q(theta), and the curvatures of F in ln alpha and ln alpha_hidden.
    """

    def problem(self, batch: Batch) -> NamedTuple:
        return empirical_bayes.problem(batch)


def estimates_of_prior(log_weights: np.ndarray) -> tuple[float, float]:
    """alpha and alpha_hidden of a fit's log weights (H, F + 2); at a limit of their range exactly
    that.
    """
    limits = dict(zip(np.log([MIN_ALPHA, MAX_ALPHA]).tolist(), (MIN_ALPHA, MAX_ALPHA), strict=True))
    alpha, alpha_hidden = (limits.get(x, exp(x)) for x in log_weights[0, -2:].tolist())
    return alpha, alpha_hidden
