"""Particles: hidden states of the cases so far, with their counts and weights."""

from collections.abc import Sequence

import numpy as np

from latentdag.engine.simd import WIDE, aligned_zeros
from latentdag.inference.particles.loops import Lanes, mean_weight, resample, visit
from latentdag.inference.particles.model import Model

RESAMPLE_BELOW = 0.5  # effective sample size, as a fraction of the particles
NOTHING = np.empty((0, 0), dtype=np.int64)


class Particles:
    """The particles of several independent runs, ``particles`` each, at first without cases; ``n``
    counts the cases so far.

    ``rngs``: a generator for each run. It seeds the streams of the run's lanes and draws the places
    of its resampling, so that no run depends on the others.
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
        """Add cases up to the n-th; lane 0 of each run takes its ``retained`` codes, if any: (runs,
        n or more).
        """
        visit(self._tables, self.lanes, self.n, n, 1, True, retained)
        self.n = n

    def sweep(self, retained: np.ndarray = NOTHING, backwards: bool = False) -> None:
        """One sweep of collapsed Gibbs sampling: draw the hidden states of each case given those of
        the others, from the first case to the last; or ``backwards``, which reverses a sweep.
        """
        order = range(self.n)[:: -1 if backwards else 1]
        visit(self._tables, self.lanes, order.start, order.stop, order.step, False, retained)

    def resample(self, conditional: bool) -> None:
        """Resample the particles of each run whose effective sample size is low.

        ``conditional``: lane 0 keeps itself, as `loops.parents` says.
        """
        uniform = np.array([rng.random() for rng in self._rngs])
        resample(
            self.lanes, self.n, self.particles, RESAMPLE_BELOW, uniform, conditional, self._log_mean
        )

    def log_ratio(self) -> np.ndarray:
        """ln of each run's estimate of the evidence of the cases so far over that of the unlinked
        model, (runs,), in nats.
        """
        runs = (len(self._rngs), -1)
        both = zip(
            self.lanes.log_weights.reshape(runs), self.lanes.ratio.reshape(runs), strict=True
        )
        weights, own = np.empty(self.particles), slice(self.particles)
        return self._log_mean + [mean_weight(w[own], r[own], weights) for w, r in both]
