"""One run: particles that go through the cases at the fixed times."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from latentdag.sampling.smc.model import Model
from latentdag.sampling.smc.particles import NOTHING, Particles
from latentdag.sampling.smc.schedule import lanes, rejuvenation_times


def log_estimates(
    model: Model,
    sizes: np.ndarray,
    particles: int,
    rng: np.random.Generator,
    trajectory: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """ln of one run's estimates of the evidence at ``sizes``, (sizes,), in nats.

    With a ``trajectory`` lane 0 is not free: it retains the codes ``trajectory[0]`` up to the first
    rejuvenation, and ``trajectory[k]`` from the k-th on. Raises FloatingPointError where a weight
    leaves the range of numbers (alpha near 0 with very many observed variables).
    """
    cloud = Particles(model, particles, rng)
    times, wanted = set(rejuvenation_times(int(sizes.max()))), set(sizes.tolist())
    codes = repeat(NOTHING) if trajectory is None else iter(trajectory)
    retained = next(codes)
    log_evidence = {}
    for n in sorted(times | wanted):
        cloud.add(n, retained)
        if n in wanted:
            log_evidence[n] = cloud.log_ratio() + model.log_unlinked[n - 1]
        if n in times:
            retained = next(codes)
            cloud.resample(lanes(particles, n), conditional=trajectory is not None)
            cloud.sweep(retained)
    estimates = np.array([log_evidence[n] for n in sizes.tolist()])
    if not np.isfinite(estimates).all():
        raise FloatingPointError(
            "an importance weight is outside the range of numbers: alpha is too small for so many"
            " variables"
        )
    return estimates
