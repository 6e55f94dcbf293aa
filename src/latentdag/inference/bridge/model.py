"""A structure as the bridge sees it: its parameters in one array, and its relabellings; and the
distribution from which a bridge starts: a mixture of products of Dirichlet distributions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from latentdag.engine.kernel.cells import all_expected_counts, rows_of
from latentdag.engine.simd import LANES
from latentdag.engine.special import log_gamma_ratio
from latentdag.inference.bridge.loops import Target, evaluate
from latentdag.inference.relabellings import n_relabellings, relabellings
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior, draw_log_gamma
from latentdag.model.structures import Structure


class BridgeModel:
    """Structure ``item`` of the kernel: D parameters. Particles are in blocks, (B, D, LANES)."""

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


@dataclass(frozen=True)
class Start:
    """The mixture, in equal parts, of Dirichlet(alpha + width x counts) for each of K sets of
    ``counts`` (K, D); with width 0 it is the prior. As a density ratio to that a component is the
    product of theta^(u - alpha) B(alpha) / B(u), u its parameters, B each row's beta function.
    """

    model: BridgeModel
    counts: np.ndarray
    width: float

    @cached_property
    def target(self) -> Target:
        """What the compiled loops need to know."""
        model, counts = self.model, self.width * self.counts
        of_model = model.cells, model.cells_by_left, model.rows, model.alpha
        return Target(*of_model, counts, self.log_scale(counts))

    def log_scale(self, counts: np.ndarray) -> np.ndarray:
        """ln of B(alpha) / B(alpha + counts) / K for each component, (K,)."""
        alpha = np.broadcast_to(self.model.alpha, counts.shape)
        of_rows = self.model.row_sums(alpha), self.model.row_sums(counts)
        log_ratio = log_gamma_ratio(alpha, counts).sum(axis=1)
        return log_gamma_ratio(*of_rows).sum(axis=1) - log_ratio - np.log(len(counts))

    def mass(self, temperature: float) -> np.ndarray:
        """Dirichlet parameters (D,) about which the density at a temperature lies."""
        width = self.width + temperature * (1 - self.width)
        return self.model.alpha + width * self.counts.mean(axis=0)

    def draw(self, n_blocks: int, rng: np.random.Generator) -> np.ndarray:
        """ln theta of draws (n_blocks, D, LANES), every component in its turn."""
        n, n_components = n_blocks * LANES, len(self.counts)
        which = (rng.random() + np.arange(n)) * n_components // n
        u = self.model.alpha + self.target.counts[which.astype(int)]
        x = draw_log_gamma(u.ravel(), rng).reshape(u.shape)
        sums = np.logaddexp.reduceat(x, self.model.rows[:-1], axis=1)
        log_theta = x - sums[:, self.model.row_of]
        return np.ascontiguousarray(log_theta.reshape(n_blocks, LANES, -1).transpose(0, 2, 1))

    def log_densities(self, log_theta: np.ndarray) -> np.ndarray:
        """ln p(y given theta) and ln r, (2, B, LANES), at ``log_theta`` (B, D, LANES)."""
        values = np.empty((2, len(log_theta), LANES))
        evaluate(self.target, log_theta, values)
        return values

    def log_mean_relabelled(self, log_theta: np.ndarray) -> np.ndarray:
        """ln of the mean of r over all relabellings of theta, (B, LANES)."""
        total, n = np.full((len(log_theta), LANES), -np.inf), 0
        for indices in self.model.relabellings():
            relabelled = np.ascontiguousarray(log_theta[:, indices])
            total, n = np.logaddexp(total, self.log_densities(relabelled)[1]), n + 1
        return total - np.log(n)


def aligned(model: BridgeModel, counts: np.ndarray) -> np.ndarray:
    """``counts`` (K, D), each set relabelled so that it agrees best with the first: so that the two
    are most likely as counts of the same parameters, which grows with B(alpha + first + own).
    """
    first, best = counts[0] + model.alpha, counts.copy()
    highest = np.full(len(counts), -np.inf)
    for indices in model.relabellings():
        u = first + counts[:, indices]
        value = gammaln(u).sum(axis=1) - gammaln(model.row_sums(u)).sum(axis=1)
        better = value > highest
        highest[better], best[better] = value[better], counts[better][:, indices]
    return best
