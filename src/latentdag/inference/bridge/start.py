"""The distribution from which a bridge starts: a mixture of products of Dirichlet distributions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from latentdag.engine.simd import LANES
from latentdag.engine.special import log_gamma_ratio
from latentdag.inference.bridge.loops import Target, evaluate
from latentdag.inference.bridge.model import BridgeModel
from latentdag.model.parameters import draw_log_gamma


@dataclass(frozen=True)
class Start:
    """The mixture, in equal parts, of Dirichlet(alpha + width x counts) for each of K sets of
    ``counts`` (K, D); with width 0 it is the prior.

    As a density ratio to the prior a component is the product of theta^(u - alpha) B(alpha) / B(u),
    u its parameters and B the multivariate beta function of every row.
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
    """``counts`` (K, D), each set relabelled so that it agrees best with the first.

    It agrees the better, the more likely the two are as counts of the same parameters: that grows
    with B(alpha + first + own).
    """
    first, best = counts[0] + model.alpha, counts.copy()
    highest = np.full(len(counts), -np.inf)
    for indices in model.relabellings():
        u = first + counts[:, indices]
        value = gammaln(u).sum(axis=1) - gammaln(model.row_sums(u)).sum(axis=1)
        better = value > highest
        highest[better], best[better] = value[better], counts[better][:, indices]
    return best
