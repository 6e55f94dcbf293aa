"""How narrow VB's q(theta) is: its standard deviations beside those of posterior draws, and those
that linear response gives.

Under q(theta) = Dirichlet(u) ln theta has the covariance Psi, blocks diag(trigamma(u)) -
trigamma(sum u). Linear response (Giordano & Broderick 2015) gives (I - Psi C)^-1 Psi, with C the
covariance of the complete-data statistics over the hidden states
(`latentdag.inference.em.information`). Every seventh of the 136 structures at four sizes of draw 0,
against Gibbs draws whose states are named as in q. A parameter counts when it has at least ENOUGH
effective draws. Prints the medians over parameters of each structure, and writes
results/experiments/posterior_width.csv. Some minutes.
"""

from collections.abc import Iterator

import common
import numpy as np
from scipy.special import polygamma

from latentdag.analysis.posterior_draws import log_vector, posterior_draws
from latentdag.inference.em.information import Statistics

RESULT = common.EXPERIMENTS / "posterior_width.csv"
SIZES, EVERY = (80, 480, 2560, 10240), 7
ENOUGH = 100  # effective draws


def covariances(statistics: Statistics) -> tuple[np.ndarray, np.ndarray]:
    """Covariance of ln theta (D, D) under q(theta), and by linear response."""
    u, row = statistics.alpha + statistics.expected, statistics.row
    shared = polygamma(1, statistics.row_sums(u))
    psi = np.diag(polygamma(1, u)) - np.where(row[:, None] == row, shared[row], 0)
    return psi, np.linalg.solve(np.eye(len(u)) - psi @ statistics.covariance, psi)


def widths(statistics: Statistics, log_theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Deviations of ln theta under q, and by linear response, over those of draws, (D,) each."""
    drawn = log_theta.reshape(-1, log_theta.shape[-1]).std(axis=0)
    q, response = (np.sqrt(np.diagonal(c)) / drawn for c in covariances(statistics))
    return q, response


def rows() -> Iterator[dict]:
    for task in common.tasks(SIZES, common.every(EVERY)):
        for kernel, item, s, statistics in common.fits_of_vb(task):
            u = statistics.alpha + statistics.expected
            mean = u / statistics.row_sums(u)[statistics.row]
            like = kernel.unpack(item, kernel.expand(item, mean))
            draws = posterior_draws(task.cases, s, like=like, seed=task.seed)
            effective = np.exp(log_vector(draws.effective_draws()))
            enough = effective >= ENOUGH
            medians = (
                float(np.median(w[enough])) if enough.any() else None
                for w in widths(statistics, draws.log_theta)
            )
            which = {"n": task.n, "structure": s.label, "compared": int(enough.sum())}
            yield which | dict(zip(("width_q", "width_response"), medians, strict=True))


if __name__ == "__main__":
    common.write(RESULT, rows())
