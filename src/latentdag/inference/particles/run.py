"""Runs: particles that go through the cases at the fixed times."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from latentdag.inference.particles.model import Model
from latentdag.inference.particles.particles import NOTHING, Particles
from latentdag.inference.particles.schedule import rejuvenation_times

MEMORY = 2**26  # bytes that the particles of runs side by side may take, about


def log_estimates(
    model: Model,
    particles: int,
    rngs: Sequence[np.random.Generator],
    trajectories: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """ln of the estimates of the evidence that runs give, one for each of ``rngs``, (runs,), in
    nats.

    With ``trajectories`` lane 0 of each run is not free: it retains the codes ``trajectories[0]``,
    (runs, cases), up to the first rejuvenation, and ``trajectories[k]`` from the k-th on. Raises
    FloatingPointError where a weight leaves the range of numbers (alpha near 0 with very many
    observed variables).
    """
    n = len(model.log_unlinked)
    together = max(1, MEMORY // (particles * (n + 4 * sum(model.shape))))
    parts = [slice(first, first + together) for first in range(0, len(rngs), together)]
    estimates = np.concatenate(
        [_log_ratios(model, n, particles, rngs[part], trajectories, part) for part in parts]
    )
    if not np.isfinite(estimates).all():
        raise FloatingPointError(
            "an importance weight is outside the range of numbers: alpha is too small for so many"
            " variables"
        )
    return estimates + model.log_unlinked[-1]


def _log_ratios(model, n, particles, rngs, trajectories, part: slice) -> np.ndarray:
    """ln of the estimates over the evidence of the unlinked model, of a ``part`` of the runs."""
    cloud = Particles(model, particles, rngs)
    codes = repeat(NOTHING) if trajectories is None else (c[part] for c in trajectories)
    retained = next(codes)
    for time in rejuvenation_times(n):
        cloud.add(time, retained)
        retained = next(codes)
        cloud.resample(conditional=trajectories is not None)
        cloud.sweep(retained)
    cloud.add(n, retained)
    return cloud.log_ratio()
