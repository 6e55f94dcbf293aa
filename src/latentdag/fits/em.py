"""EM for the maximum a posteriori and the maximum likelihood estimate."""

from dataclasses import dataclass

import numpy as np

from latentdag.kernel import Batch

# Extrapolation lowers no log weight of a maximum likelihood fit below this: from nearer to 0 a
# weight that fits after all takes too many steps to grow back
LOWEST = -70.0
# pseudo-count that stands for none: keeps ln theta finite, and a row without counts uniform
NO_PRIOR = 1e-300


@dataclass(frozen=True)
class EM:
    """M step (pseudo_counts + expected counts) / sum; ``pseudo_counts`` has shape (F,), or is None
    for maximum likelihood.

    With the Dirichlet parameters as pseudo-counts this is MAP in the softmax basis (thesis sec.
    2.2.3): the prior density of the logits of a row is proportional to prod theta^alpha. The
    objective is ln p(y given theta) + sum alpha ln(K theta), K the number of values in the row: the
    prior density relative to its peak, which stays small at large alpha. Without a prior it is
    ln p(y given theta) alone.
    """

    pseudo_counts: np.ndarray | None

    def step(
        self, batch: Batch, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        objective, counts = batch.expected_counts(np.exp(log_weights))
        if self.pseudo_counts is None:
            counts += NO_PRIOR
        else:
            relative = log_weights + np.log(batch.kernel.n_values)
            objective += batch.total(self.pseudo_counts * relative)
            counts += self.pseudo_counts
        return objective, np.log(counts / batch.spread(batch.row_sums(counts))), counts

    def feasible(self, batch: Batch, log_weights: np.ndarray) -> np.ndarray:
        if self.pseudo_counts is None:
            log_weights = np.maximum(log_weights, LOWEST)
        return log_weights - batch.spread(np.log(batch.row_sums(np.exp(log_weights))))
