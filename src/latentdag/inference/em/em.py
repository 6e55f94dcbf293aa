"""EM for the maximum a posteriori and the maximum likelihood estimate."""

from dataclasses import dataclass
from typing import NamedTuple

import lazy_loader as lazy
import numpy as np

from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.slots import Batch

# numba takes a second to import
em = lazy.load("latentdag.inference.em.lanes.em", suppress_warning=True)

# Extrapolation lowers no log weight of a maximum likelihood fit below this: from nearer to 0 a
# weight that fits after all takes too many steps to grow back
LOWEST = -70.0
# pseudo-count that stands for none: keeps ln theta finite, and a row without counts uniform
NO_PRIOR = 1e-300


@dataclass(frozen=True)
class EM(Algorithm):
    """M step (pseudo_counts + expected counts) / sum; ``pseudo_counts`` has shape (F,), or is None
    for maximum likelihood.

    With the Dirichlet parameters as pseudo-counts this is MAP in the softmax basis (thesis sec.
    2.2.3): the prior density of the logits of a row is proportional to prod theta^alpha. The
    objective is ln p(y given theta) + sum alpha ln(K theta), K the number of values in the row: the
    prior density relative to its peak, which stays small at large alpha. Without a prior it is
    ln p(y given theta) alone.
    """

    pseudo_counts: np.ndarray | None

    def problem(self, batch: Batch) -> NamedTuple:
        without = self.pseudo_counts is None
        prior = np.array(NO_PRIOR) if without else self.pseudo_counts
        return em.problem(batch, prior, LOWEST if without else -np.inf)
