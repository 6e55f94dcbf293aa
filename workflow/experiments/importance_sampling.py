"""The evidence by importance sampling from VB's q(theta) (thesis 2.3.2).

Every seventh of the 136 structures at three sizes of draw 0. DRAWS parameters are drawn from
q(theta), Dirichlet(alpha + expected counts) at VB's best optimum, and weighted by p(theta, y) over
the proposal's density: that of q itself, and that of the mixture of q and all its relabelled
copies. By symmetry a draw from one copy has the same weight as a draw from the mixture. Writes
results/experiments/importance_sampling.csv, with the errors against the evidence of the published
study, and prints its rows. A minute.
"""

from collections.abc import Iterator

import common
import numpy as np

from latentdag.engine.cells import log_likelihoods
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.simd import LANES
from latentdag.inference.tempered.estimates import TemperedModel
from latentdag.model.parameters import draw_log_gamma

RESULT = common.EXPERIMENTS / "importance_sampling.csv"
SIZES, EVERY = (80, 480, 2560), 7
DRAWS = 2**14  # a multiple of LANES


def log_weights(
    model: TemperedModel, u: np.ndarray, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """ln weights (draws,), under Dirichlet(u), ``u`` (D,), and the mixture of all its copies."""
    x = draw_log_gamma(np.tile(u, draws), rng).reshape(draws, -1)
    log_theta = x - np.logaddexp.reduceat(x, model.rows[:-1], axis=1)[:, model.row_of]
    lanes = np.exp(log_theta).reshape(-1, LANES, len(u)).transpose(0, 2, 1)
    likelihood = log_likelihoods(np.ascontiguousarray(lanes), model.cells).ravel()
    constant = common.log_beta(model, u) - common.log_beta(model, model.alpha)
    # ln of each copy's density over the prior's, (draws, copies); the first relabelling is none
    copies = [log_theta[:, i] @ (u - model.alpha) - constant for i in model.relabellings()]
    mixture = np.logaddexp.reduce(copies) - np.log(len(copies))
    return likelihood - copies[0], likelihood - mixture


def effective(w: np.ndarray) -> float:
    """The effective number of draws with ln weights ``w``."""
    return float(np.exp(2 * np.logaddexp.reduce(w) - np.logaddexp.reduce(2 * w)))


def rows() -> Iterator[dict]:
    evidence = common.evidence()
    for task in common.tasks(SIZES, common.every(EVERY)):
        for kernel, item, s, fit in common.fits_of_vb(task):
            model = TemperedModel(kernel, item, s.without_childless(), task.prior)
            rng, truth = task.stream("importance sampling", s), evidence.loc[0, task.n, s.label]
            weights = log_weights(model, fit.alpha + fit.expected, DRAWS, rng)
            for proposal, w in zip(("one mode", "all copies"), weights, strict=True):
                which = {"n": task.n, "structure": s.label, "proposal": proposal}
                error = common.error(*log_mean_exp(w), truth)
                yield which | {"effective_draws": effective(w)} | error


if __name__ == "__main__":
    common.write(RESULT, rows())
