"""The evidence by Chib's estimator, with and without Neal's relabelling (paper sec. 1.2).

Chib 1995 (J. Am. Stat. Assoc. 90, 1313-1321): ln p(y) = ln p(y given theta) + ln p(theta) - ln
p(theta given y) at any point, and p(theta given y) is the mean of p(theta given s, y) over
posterior draws of the hidden states s. Neal 1999 ("Erroneous results in 'Marginal likelihood from
the Gibbs output'"): a chain that stays with one naming of the states overestimates that mean; the
mean over all relabellings does not. Every seventh of the 136 structures at three sizes of draw 0,
CHAINS chains of DRAWS draws. The point is the MAP estimate, or the draw of highest posterior
density of a further chain. Writes results/experiments/chib.csv, with the errors against the
evidence of the published study, and prints its rows. Five minutes.
"""

from collections.abc import Iterator

import common
import numpy as np

from latentdag import Prior, Structure, estimate
from latentdag.analysis.posterior_draws import Completion, gibbs, log_vector
from latentdag.engine.log_mean import log_mean_exp
from latentdag.inference.tempered.estimates import TemperedModel
from latentdag.scores.base import Task

RESULT = common.EXPERIMENTS / "chib.csv"
SIZES, EVERY = (80, 480, 2560), 7
CHAINS, DRAWS = 4, 1000


def log_densities(model: TemperedModel, u: np.ndarray, log_theta: np.ndarray) -> np.ndarray:
    """ln density of the logits at ``log_theta`` (K, D) under Dirichlet(u), ``u`` (D,): (K,)."""
    return log_theta @ u - common.log_beta(model, u)


def chib(
    cases: np.ndarray, structure: Structure, prior: Prior, seed: int, chains: int, draws: int
) -> dict[tuple[str, bool], tuple[float, float]]:
    """ln p(y) and its standard error in nats, by the point at which densities are compared and by
    whether all its relabellings count.

    The points: the MAP estimate, and the draw of highest posterior density of a further chain. The
    chains start at the point. The error is from their spread.
    """
    reduced, mode = estimate(
        cases, structure, alpha=prior.alpha, alpha_hidden=prior.alpha_hidden, seed=seed
    )
    task = Task([reduced], cases, prior, seed)
    ((kernel, _),) = task.kernels
    model = TemperedModel(kernel, 0, reduced, prior)
    completion = Completion(model, task.counts.patterns, task.counts.numbers)

    def log_joint(log_theta: np.ndarray) -> np.ndarray:
        """ln p(y, theta), theta's logits as coordinates, (K, D) to (K,)."""
        weights = np.array([kernel.expand(0, theta) for theta in np.exp(log_theta)])
        likelihood = kernel.batch(np.zeros(len(weights), int)).log_likelihood(weights)
        return likelihood + log_densities(model, model.alpha, log_theta)

    best = log_vector(mode)
    further = gibbs(completion, best, draws, task.stream("chib pilot", reduced))
    points = {"MAP estimate": best, "densest draw": further[np.argmax(log_joint(further))]}
    result = {}
    for name, star in points.items():
        renamed = np.array([star[i] for i in model.relabellings()])  # the first is the point itself
        ordinates: dict[bool, list[float]] = {False: [], True: []}
        for chain in range(chains):
            rng = task.stream("chib", reduced, name, chain)
            log_ordinates = []
            for log_theta in gibbs(completion, star, draws, rng):
                completed = rng.multinomial(completion.numbers, completion.memberships(log_theta))
                u = model.alpha + completion.counts(completed)
                log_ordinates.append(log_densities(model, u, renamed))
            ordinates[False].append(log_mean_exp(np.array(log_ordinates)[:, 0])[0])
            ordinates[True].append(log_mean_exp(np.ravel(log_ordinates))[0])
        for relabelled, values in ordinates.items():
            ordinate, error = log_mean_exp(np.array(values))
            result[name, relabelled] = log_joint(star[None]).item() - ordinate, error
    return result


def rows() -> Iterator[dict]:
    evidence = common.evidence()
    for task in common.tasks(SIZES, common.every(EVERY)):
        for s in task.structures:
            results = chib(task.cases, s, task.prior, task.seed, CHAINS, DRAWS)
            for (point, relabelled), estimated in results.items():
                which = {"n": task.n, "structure": s.label, "point": point}
                error = common.error(*estimated, evidence.loc[0, task.n, s.label])
                yield which | {"relabelled": relabelled} | error


if __name__ == "__main__":
    common.write(RESULT, rows())
