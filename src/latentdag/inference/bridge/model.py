"""A structure as the bridge sees it: its parameters in one array, and its relabellings."""

from collections.abc import Iterator

import numpy as np

from latentdag.engine.kernel.cells import all_expected_counts, rows_of
from latentdag.inference.relabellings import n_relabellings, relabellings
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure


class BridgeModel:
    """The kernel's structure ``item``, which is ``structure``, without childless hidden variables;
    it has D parameters.

    Particles stand in blocks of LANES: arrays (B, D, LANES).
    """

    def __init__(self, kernel: Kernel, item: int, structure: Structure, prior: Prior):
        self.kernel, self.item, self.structure, self.prior = kernel, item, structure, prior
        self.cells = kernel.cells_of(item)  # the rows of the weights are the parameters
        self.cells_by_left = rows_of(self.cells)  # the same in the order of the gradient
        self.alpha = kernel.untied(item, kernel.prior_slots(prior))  # Dirichlet parameters, (D,)
        # the first parameter of each row of the tables, and D; the row of each parameter, (D,)
        self.rows = np.append(kernel.row_starts(item), len(self.alpha))
        self.row_of = np.repeat(np.arange(len(self.rows) - 1), np.diff(self.rows))
        # expected counts (D,) if all variables were independent, and hidden ones uniform
        self.independent_counts = kernel.independent_counts(item)

    def row_sums(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows: (..., D) to (..., R)."""
        return np.add.reduceat(values, self.rows[:-1], axis=-1)

    def expected_counts(self, log_theta: np.ndarray) -> np.ndarray:
        """Expected counts (B, D, LANES) at ``log_theta`` (B, D, LANES)."""
        theta, counts = np.exp(log_theta), np.empty(log_theta.shape)
        all_expected_counts(theta, self.cells, counts)
        return counts

    def n_relabellings(self) -> int:
        """The number of relabellings, which `relabellings` lists."""
        return n_relabellings(self.structure)

    def relabellings(self) -> Iterator[np.ndarray]:
        """Each as indices (D,): theta[..., indices] has the same likelihood and prior."""
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
