"""The evidence over a bridge, from a start that the posterior is searched for first."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from latentdag.engine.simd import LANES
from latentdag.inference.bridge.model import BridgeModel
from latentdag.inference.bridge.run import TemperedParticles, Tuning, run, systematic, tune
from latentdag.inference.bridge.start import Start, aligned

COMPONENTS = 16  # of the start around particles of one run
# A component of the start is as wide as the posterior of about WIDE_CASES cases, or of WIDEST of
# all cases where they are fewer
WIDE_CASES, WIDEST = 512, 0.25
# Share of the pilot's weight that lies where the start covers the posterior. With more, estimates
# on a ridge are too low with a small spread (0.7 nats for a hidden variable with one child at 10240
# cases); with less, more rests on the runs from the prior, which spread wider
COVERED = 0.9
SMALLEST_ALPHA = 0.1
MOST_RELABELLINGS = 10_000


class RunPlan(NamedTuple):
    """All that is fixed before a run that counts."""

    start: Start
    tuning: Tuning
    covered: float  # where ln p(y given theta) less ln r is at most this, nats, the start covers


def plan_run(found: TemperedParticles, n_blocks: int, rng: np.random.Generator) -> RunPlan:
    """The plan of a run, for which ``found``, a run from the prior, has searched the posterior.

    A pilot goes from a start around particles of that run. It weighs the modes better than a long
    way from the prior can: half of the components of the start are around its particles. The start
    covers the parameters at which the posterior does not outweigh it by more than where most of the
    pilot's weight lies.
    """
    model = found.start.model
    width = min(WIDEST, WIDE_CASES / model.kernel.counts.sum())
    first = some_counts(found, rng)
    tuning, pilot = tune(Start(model, aligned(model, first), width), n_blocks, rng)
    both = np.concatenate([first, some_counts(pilot, rng)])
    start = Start(model, aligned(model, both), width)
    over = excess(start, pilot)[0].ravel()
    covered = np.quantile(over, COVERED, weights=pilot.weights, method="inverted_cdf")
    return RunPlan(start, tuning, float(covered))


def some_counts(particles: TemperedParticles, rng: np.random.Generator) -> np.ndarray:
    """Expected counts (COMPONENTS, D) at particles drawn in proportion to their weights."""
    block, lane = np.divmod(systematic(particles.weights, COMPONENTS, rng), LANES)
    return particles.start.model.expected_counts(particles.log_theta)[block, :, lane]


def excess(start: Start, particles: TemperedParticles) -> tuple[np.ndarray, np.ndarray]:
    """ln p(y given theta) less ln of the mean of r over all relabellings, (B, LANES), and that
    mean's ln.
    """
    mean = start.log_mean_relabelled(particles.log_theta)
    return particles.log_likelihood - mean, mean


def log_estimate(
    plan: RunPlan, n_blocks: int, rng: np.random.Generator, from_prior: TemperedParticles
) -> float:
    """ln of an unbiased estimate of the evidence, in nats.

    It is the sum of two estimates, for the parameters that the start covers and for the others: the
    first from a run from the start, the second from a run ``from_prior`` that the plan knows
    nothing of. So a mode that the start does not cover adds to the estimate and to its error.

    The start has each mode under one labelling, and its particles stand for all. Their weights are
    multiplied by r over its mean over all relabellings: the mean of that over these is 1.
    """
    particles = run(plan.start, plan.tuning, n_blocks, rng)
    over, mean = excess(plan.start, particles)
    log_weight = particles.log_weight + particles.log_start - mean
    inside = log_mean(np.where(over <= plan.covered, log_weight, -np.inf))
    over, _ = excess(plan.start, from_prior)
    outside = log_mean(np.where(over > plan.covered, from_prior.log_weight, -np.inf))
    return float(np.logaddexp(inside, outside))


def log_mean(log_weight: np.ndarray) -> float:
    """ln of the mean weight."""
    return np.logaddexp.reduce(log_weight, axis=None) - np.log(log_weight.size)


def log_estimates(
    model: BridgeModel, particles: int, runs: int, stream: Callable[..., np.random.Generator]
) -> np.ndarray:
    """ln of ``runs`` independent and unbiased estimates of the evidence, (runs,), in nats. Without
    hidden variables all are the evidence itself.

    ``stream(purpose, run)`` gives the random streams. Raises ValueError for an alpha below
    SMALLEST_ALPHA.
    """
    if min(model.prior.alpha, model.prior.alpha_hidden) < SMALLEST_ALPHA:
        raise ValueError(
            f"bridge needs alpha and alpha_hidden of at least {SMALLEST_ALPHA}, got "
            f"{model.prior.alpha} and {model.prior.alpha_hidden}: below, its particles hardly mix"
        )
    if model.kernel.n_states == 1:
        complete = Start(model, model.independent_counts[None], 1.0)
        return np.full(runs, -complete.target.log_scale[0])
    prior = Start(model, model.independent_counts[None], 0.0)
    few, many = (max(1, -(-number // LANES)) for number in (particles // 2, particles))
    tuning, _ = tune(prior, few, stream("pilot"))
    searches = [run(prior, tuning, few, stream("from the prior", r)) for r in range(runs)]
    plans = [plan_run(s, few, stream("plan", r)) for r, s in enumerate(searches)]
    # each estimate takes the search of the next run: its own has shaped its plan
    others = [*searches[1:], searches[0]]
    pairs = enumerate(zip(plans, others, strict=True))
    estimates = (log_estimate(plan, many, stream("run", r), other) for r, (plan, other) in pairs)
    return np.fromiter(estimates, float)
