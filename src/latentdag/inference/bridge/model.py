"""A structure as the bridge sees it: its parameters in one array, and its relabellings."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latentdag.engine.kernel.cells import Cells, all_expected_counts
from latentdag.engine.kernel.gradient import Rows, rows_of
from latentdag.inference.relabellings import n_relabellings, relabellings
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure


@dataclass(frozen=True)
class BridgeModel:
    """The kernel's structure ``item``, which is ``structure``, with D parameters.

    Particles stand in blocks of LANES: arrays (B, D, LANES).
    """

    kernel: Kernel
    item: int
    structure: Structure  # without childless hidden variables
    prior: Prior

    @cached_property
    def cells(self) -> Cells:
        """The cells that occur; the rows of the weights are the parameters."""
        return self.kernel.cells_of(self.item)

    @cached_property
    def cells_by_left(self) -> Rows:
        """The same in the order of the gradient."""
        return rows_of(self.cells)

    @cached_property
    def alpha(self) -> np.ndarray:
        """The Dirichlet parameter of every parameter, (D,)."""
        return self.kernel.untied(self.item, self.kernel.prior_slots(self.prior))

    @cached_property
    def rows(self) -> np.ndarray:
        """The first parameter of each row of the tables, and D."""
        return np.append(self.kernel.row_starts(self.item), len(self.alpha))

    @cached_property
    def row_of(self) -> np.ndarray:
        """The row that each parameter belongs to, (D,)."""
        return np.repeat(np.arange(len(self.rows) - 1), np.diff(self.rows))

    def row_sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows: (..., D) to (..., R)."""
        return np.add.reduceat(values, self.rows[:-1], axis=-1)

    @cached_property
    def independent_counts(self) -> np.ndarray:
        """Expected counts (D,) if all variables were independent, and hidden ones uniform."""
        return self.kernel.independent_counts(self.item)

    def expected_counts(self, log_theta: np.ndarray) -> np.ndarray:
        """Expected counts (B, D, LANES) at ``log_theta`` (B, D, LANES)."""
        theta, counts = np.exp(log_theta), np.empty(log_theta.shape)
        all_expected_counts(theta, self.cells, counts)
        return counts

    def n_relabellings(self) -> int:
        """The number of relabellings, which `relabellings` lists."""
        return n_relabellings(self.structure)

    def relabellings(self) -> Iterator[np.ndarray]:
        """Indices (D,) that rename hidden states, and exchange hidden variables with the same
        children and cardinality: theta[..., indices] has the same likelihood and prior.
        """
        family = self.structure.family
        # the parameter behind each slot, by the state of every hidden variable
        n_hidden, n_observed = len(family.hidden), sum(family.observed)
        slots = self.kernel.expand(self.item, np.arange(len(self.alpha)))
        observed = slots[:, :n_observed].reshape(*family.hidden, n_observed)
        of_states = np.split(slots[0, n_observed:], np.cumsum(family.hidden)[:-1])
        for variables, orders in relabellings(self.structure):
            indices = np.empty(len(self.alpha), dtype=np.int64)
            renamed = observed.transpose(*variables, n_hidden)[np.ix_(*orders)]
            indices[observed] = renamed
            for i, order in enumerate(orders):
                indices[of_states[i]] = of_states[variables[i]][list(order)]
            yield indices
