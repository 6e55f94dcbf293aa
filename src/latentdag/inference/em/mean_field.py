"""Variational Bayesian EM with a factorised q(s): every hidden variable of a case has a q of its
own (Beal's thesis, eq. 2.39 to 2.42, in place of the joint q(s) of eq. 2.54).

Cases in one cell have the same q. So the log weights that the fixed-point iteration works on are
ln q(k | cell), an array (K, N): all values of the first hidden variable, then those of the next, by
the N cells that occur, in the table's order.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import lazy_loader as lazy
import numpy as np

from latentdag.inference.em.fixed_point import Algorithm
from latentdag.inference.slots import Batch, Kernel

# numba takes a second to import
mean_field = lazy.load("latentdag.inference.em.lanes.mean_field", suppress_warning=True)
simd = lazy.load("latentdag.engine.simd", suppress_warning=True)

HELD = 2**22  # numbers in all fits that are held at once: 32 MB


class MeanField:
    """The structures of ``kernel``, all with two hidden variables or more, and the cells that occur
    in its counts.
    """

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.n_coordinates, self.batch = kernel.n_coordinates, kernel.batch
        self.shape = sum(kernel.family.hidden), len(kernel.counts)  # (K, N)
        self.at_once = max(1, HELD // np.prod(self.shape))  # fits that may be held

    def start(self, item: int, log_weights: np.ndarray) -> np.ndarray:
        """ln q (K, N) from log weights (H, F) of structure ``item``: the marginals of the joint
        p(s given cell) that is proportional to their product.
        """
        log_q = mean_field.marginals(self._cells, _in_all_lanes(log_weights))
        return log_q[:, 0].reshape(self.shape)

    @cached_property
    def _cells(self) -> NamedTuple:
        """A problem of which only what the cells are is used."""
        return MeanFieldVBEM(np.array(1.0)).problem(self.batch([0]))


def _in_all_lanes(numbers: np.ndarray) -> np.ndarray:
    same = simd.vectors(numbers.size)
    same[:] = numbers.reshape(-1, 1)
    return same


@dataclass(frozen=True)
class MeanFieldVBEM(Algorithm):
    """One iteration: q(theta) for the present q(s), then q of each hidden variable in turn, given
    those of the others. ``alpha`` has shape (F,).

    Every update is the best for what the others are, so that the bound never decreases: entropy of
    q(s) + sum over rows of ln B(alpha + counts) - ln B(alpha), as in `vbem.bound`.
    """

    alpha: np.ndarray

    def problem(self, batch: Batch) -> NamedTuple:
        return mean_field.problem(batch, self.alpha)
