"""EM for the maximum a posteriori and the maximum likelihood estimate."""

from dataclasses import dataclass

import numpy as np

from latentdag.kernel import Batch

LOWEST = -70.0  # log weight below which maximum likelihood is not extrapolated: what is lost at one jump must be able to return
NO_PRIOR = 1e-300  # pseudo-count that stands for none: keeps ln theta finite, and a row without mass uniform


@dataclass(frozen=True)
class EM:
    """M step (pseudo_counts + expected counts) / sum; ``pseudo_counts`` has shape (F,), or is None
    for maximum likelihood.

    With the Dirichlet parameters as pseudo-counts this is MAP in the softmax basis (thesis sec.
    2.2.3): the prior density of the logits of a row is proportional to prod theta^alpha. The
    objective is ln p(y given theta) + sum alpha ln theta, or ln p(y given theta) alone.
    """

    pseudo_counts: np.ndarray | None

    def step(
        self, batch: Batch, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        objective, counts = batch.expected_counts(np.exp(log_weights))
        if self.pseudo_counts is None:
            counts += NO_PRIOR
        else:
            objective += batch.total(self.pseudo_counts * log_weights)
            counts += self.pseudo_counts
        return objective, np.log(counts / batch.spread(batch.row_sums(counts))), counts

    def feasible(self, batch: Batch, log_weights: np.ndarray) -> np.ndarray:
        if self.pseudo_counts is None:
            log_weights = np.maximum(log_weights, LOWEST)
        return log_weights - batch.spread(np.log(batch.row_sums(np.exp(log_weights))))
