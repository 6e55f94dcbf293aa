"""Particles: hidden states of the cases so far, with their counts and weights, and their runs
through the cases in an order and with rejuvenation times that are fixed in advance.
"""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from latentdag.engine.simd import WIDE, aligned_zeros
from latentdag.inference.particles.loops import Lanes, mean_weight, resample, visit
from latentdag.inference.particles.model import Model

GROWTH = 1.2  # ratio of successive rejuvenation times
GOLDEN = (5**0.5 - 1) / 2
RESAMPLE_BELOW = 0.5  # effective sample size, as a fraction of the particles
MEMORY = 2**26  # bytes that the particles of runs side by side may take, about
NOTHING = np.empty((0, 0), dtype=np.int64)


def order(cases: np.ndarray) -> np.ndarray:
    """Which of the ``cases`` (n, J) to add when: indices (n,).

    Every stretch of the order resembles the whole of the cases. They are exchangeable, and where
    their order has no trend no mode of the posterior seems dead before its time. Equal cases are
    interchangeable: the ordered cases do not depend on the order in which they come.
    """
    similar = np.lexsort(cases.T[::-1])
    place = np.arange(len(cases)) * GOLDEN % 1.0  # spreads neighbours evenly
    return similar[np.argsort(place)]


def rejuvenation_times(n: int) -> list[int]:
    """Numbers of cases, below ``n``, after which to rejuvenate: 1, 2, 3, ..., then geometric."""
    times, t = [], 1
    while t < n:
        times.append(t)
        t = max(t + 1, int(t * GROWTH))
    return times


class Particles:
    """The particles of several independent runs, ``particles`` each, with the ``n`` cases so far. A
    generator of ``rngs`` for each run seeds its lanes and draws the places of its resampling.
    """

    def __init__(self, model: Model, particles: int, rngs: Sequence[np.random.Generator]):
        n_counts, n_totals = model.shape
        tiles = -(-particles // WIDE)
        n_tiles = tiles * len(rngs)
        streams = aligned_zeros((n_tiles, 4, WIDE), np.uint32)
        for run, rng in enumerate(rngs):
            streams[run * tiles : (run + 1) * tiles] = rng.integers(
                2**32, size=(tiles, 4, WIDE), dtype=np.uint32
            )
        self.n, self.particles = 0, particles
        self.lanes = Lanes(
            states=aligned_zeros((n_tiles, len(model.tables.rows), WIDE), model.code_type),
            counts=aligned_zeros((n_tiles, n_counts, WIDE), model.float),
            totals=aligned_zeros((n_tiles, n_totals, WIDE), model.float),
            streams=streams,
            log_weights=aligned_zeros((n_tiles, WIDE), np.float64),
            ratio=np.ones((n_tiles, WIDE)),
            factors=aligned_zeros((2 * n_totals + model.n_states, WIDE), model.float),
        )
        self._tables, self._rngs = model.tables, rngs
        self._log_mean = np.zeros(len(rngs))  # ln of the product of the mean weights, until the
        # last resampling

    @property
    def states(self) -> np.ndarray:
        """Codes (runs, particles, n) of the hidden states of the cases so far."""
        by_tile = self.lanes.states[:, : self.n].transpose(0, 2, 1)
        return by_tile.reshape(len(self._rngs), -1, self.n)[:, : self.particles]

    def add(self, n: int, retained: np.ndarray = NOTHING) -> None:
        """Add cases up to the n-th; lane 0 of runs takes ``retained`` codes (runs, n), if any."""
        visit(self._tables, self.lanes, self.n, n, 1, True, retained)
        self.n = n

    def sweep(self, retained: np.ndarray = NOTHING, backwards: bool = False) -> None:
        """A sweep of collapsed Gibbs sampling over the cases, or ``backwards`` its reverse."""
        order = range(self.n)[:: -1 if backwards else 1]
        visit(self._tables, self.lanes, order.start, order.stop, order.step, False, retained)

    def resample(self, conditional: bool) -> None:
        """Resample runs of low effective sample size; ``conditional`` as in `loops.parents`."""
        uniform = np.array([rng.random() for rng in self._rngs])
        resample(
            self.lanes, self.n, self.particles, RESAMPLE_BELOW, uniform, conditional, self._log_mean
        )

    def log_ratio(self) -> np.ndarray:
        """ln of each run's estimate over the evidence of the unlinked model, (runs,), in nats."""
        runs = (len(self._rngs), -1)
        both = zip(
            self.lanes.log_weights.reshape(runs), self.lanes.ratio.reshape(runs), strict=True
        )
        weights, own = np.empty(self.particles), slice(self.particles)
        return self._log_mean + [mean_weight(w[own], r[own], weights) for w, r in both]


def log_estimates(
    model: Model,
    particles: int,
    rngs: Sequence[np.random.Generator],
    trajectories: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """ln of the estimate of the evidence by each run, one for each of ``rngs``, (runs,), in nats.

    With ``trajectories`` lane 0 of each run is not free: it retains the codes ``trajectories[0]``,
    (runs, cases), up to the first rejuvenation, and ``trajectories[k]`` from the k-th on. Raises
    FloatingPointError where a weight leaves the range of numbers (alpha near 0, many variables).
    """
    n, found = len(model.log_unlinked), []
    together = max(1, MEMORY // (particles * (n + 4 * sum(model.shape))))
    for part in (slice(first, first + together) for first in range(0, len(rngs), together)):
        cloud = Particles(model, particles, rngs[part])
        codes = repeat(NOTHING) if trajectories is None else (c[part] for c in trajectories)
        retained = next(codes)
        for time in rejuvenation_times(n):
            cloud.add(time, retained)
            retained = next(codes)
            cloud.resample(conditional=trajectories is not None)
            cloud.sweep(retained)
        cloud.add(n, retained)
        found.append(cloud.log_ratio())
    estimates = np.concatenate(found)
    if not np.isfinite(estimates).all():
        raise FloatingPointError(
            "an importance weight is outside the range of numbers: alpha is too small for so many"
            " variables"
        )
    return estimates + model.log_unlinked[-1]
