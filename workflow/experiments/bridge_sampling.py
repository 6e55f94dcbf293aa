"""The evidence by bridge sampling from posterior draws and a mixture of modes.

Meng & Wong 1996 (Stat. Sinica 6, 831-860; Gelman & Meng 1998, which the paper cites, reviews it):
two densities, the posterior p(theta, y) / p(y) and one that is known, and draws from both. With l
the ratio of p(theta, y) to the known density, p(y) is the fixed point of

    p(y) = mean over known draws of l / (l + p(y))
           / mean over posterior draws of 1 / (l + p(y)),

which has the least variance where draws are independent and as many of either. The known density is
the mixture, in equal parts, of Dirichlet(alpha + expected counts) at VB's distinct optima and all
their relabelled copies; the posterior draws are those of CHAINS Gibbs chains, which start at draws
from the mixture. l is the same for all relabellings, so that it does not matter which of them a
chain visits. From the same draws, for comparison: importance sampling, the mean of l over the known
draws, and its reciprocal, 1 / the mean of 1 / l over the posterior draws. Errors are those of the
jackknife over chains: they do not show a mode that no chain visits. Every seventh of the 136
structures at three sizes of draw 0. Writes results/experiments/bridge_sampling.csv, with the errors
against the evidence of the published study, and prints its rows. Ten minutes.
"""

from collections.abc import Callable, Iterator

import common
import numpy as np
from scipy.optimize import brentq

from latentdag.analysis.posterior_draws import Completion, gibbs
from latentdag.engine.simd import LANES
from latentdag.inference.em.information import CompleteData
from latentdag.inference.tempered.estimates import Start, TemperedModel
from latentdag.scores import compute
from latentdag.scores.base import Task

RESULT = common.EXPERIMENTS / "bridge_sampling.csv"
SIZES, EVERY = (80, 480, 2560), 7
CHAINS, DRAWS = 8, 512  # DRAWS a multiple of LANES, which is one of CHAINS


def log_mean(values: np.ndarray) -> float:
    """ln of the mean of exp(values)."""
    return float(np.logaddexp.reduce(values, axis=None) - np.log(values.size))


def bridge_sampling(reference: np.ndarray, posterior: np.ndarray) -> float:
    """ln p(y) in nats from ln l at draws from the known density, and at as many from the posterior,
    arrays of any shape.
    """

    def difference(value: float) -> float:
        """ln of numerator over denominator x p(y), which falls as the value rises."""
        above = log_mean(reference - np.logaddexp(reference, value))
        return above - log_mean(value - np.logaddexp(posterior, value))

    ends = np.concatenate([reference.ravel(), posterior.ravel()])
    return brentq(difference, ends.min() - 1, ends.max() + 1, xtol=1e-9)


ESTIMATORS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "bridge sampling": bridge_sampling,
    "importance sampling": lambda reference, _: log_mean(reference),
    "reciprocal": lambda _, posterior: -log_mean(-posterior),
}


def jackknife(estimator: Callable, reference: np.ndarray, posterior: np.ndarray) -> float:
    """Standard error of an estimate from (chains, draws), a chain with as many known draws left out
    at a time.
    """
    chains = len(reference)
    left = [
        estimator(*(np.delete(v, c, axis=0) for v in (reference, posterior))) for c in range(chains)
    ]
    return float(np.sqrt((chains - 1) * np.var(left)))


def log_ratios(start: Start, log_theta: np.ndarray) -> np.ndarray:
    """ln l at ``log_theta`` (draws, D), draws a multiple of LANES: (draws,)."""
    lanes = log_theta.reshape(-1, LANES, log_theta.shape[1]).transpose(0, 2, 1)
    lanes = np.ascontiguousarray(lanes)
    return (start.log_densities(lanes)[0] - start.log_mean_relabelled(lanes)).ravel()


def mixture(task: Task, fit: np.ndarray) -> Start:
    """That of the optima (K, H, F) of the task's one structure, log weights."""
    ((kernel, (s,)),) = task.kernels
    data = CompleteData(kernel, kernel.prior_slots(task.prior))
    counts = np.array([data.statistics(0, log_weights).expected for log_weights in fit])
    return Start(TemperedModel(kernel, 0, s.without_childless(), task.prior), counts, 1.0)


def draws(task: Task, start: Start) -> tuple[np.ndarray, np.ndarray]:
    """ln l at draws from the mixture, and at draws from the posterior, (CHAINS, DRAWS) each."""
    (s,) = task.structures
    completion = Completion(start.model, task.counts.patterns, task.counts.numbers)
    rng = task.stream("bridge sampling", s)
    reference = [log_ratios(start, _flat(start.draw(DRAWS // LANES, rng))) for _ in range(CHAINS)]
    begin = _flat(start.draw(1, task.stream("bridge sampling", s, "starts")))[:: LANES // CHAINS]
    posterior = [
        log_ratios(start, gibbs(completion, first, DRAWS, task.stream("bridge sampling", s, chain)))
        for chain, first in enumerate(begin)
    ]
    return np.array(reference), np.array(posterior)


def _flat(log_theta: np.ndarray) -> np.ndarray:
    """(B, D, LANES) as (B LANES, D)."""
    return log_theta.transpose(0, 2, 1).reshape(-1, log_theta.shape[1])


def rows() -> Iterator[dict]:
    evidence = common.evidence()
    for n in SIZES:
        cases = common.cases_of(n)
        for s in common.every(EVERY):
            task, truth = Task([s], cases, seed=common.SEED), evidence.loc[0, n, s.label]
            start = mixture(task, compute(task, ["vb"])[1]["vb"][s.label].optima)
            values = draws(task, start)
            for name, estimator in ESTIMATORS.items():
                estimated = estimator(*values), jackknife(estimator, *values)
                which = {"n": n, "structure": s.label, "estimator": name}
                which |= {"components": len(start.counts)}
                yield which | common.error(*estimated, truth)


if __name__ == "__main__":
    common.write(RESULT, rows())
