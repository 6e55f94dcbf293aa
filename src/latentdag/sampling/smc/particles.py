"""Particles: hidden states of the cases so far, with their counts and weights."""

import numpy as np

from latentdag.sampling.smc.loops import Lanes, copy_lanes, visit
from latentdag.sampling.smc.model import Model

RESAMPLE_BELOW = 0.5  # effective sample size, as a fraction of the particles
NOTHING = np.empty(0, dtype=np.int64)


class Particles:
    """``lanes`` particles of a run, at first without cases; ``n`` counts the cases so far.

    ``rng`` seeds the streams of the lanes and draws the places of the resampling.
    """

    def __init__(self, model: Model, lanes: int, rng: np.random.Generator):
        n_counts, n_totals = model.shape
        self.n = 0
        self.lanes = Lanes(
            states=np.zeros((len(model.tables.rows), lanes), dtype=model.code_type),
            counts=np.zeros((n_counts, lanes), dtype=model.float),
            totals=np.zeros((n_totals, lanes), dtype=model.float),
            streams=rng.integers(2**64, size=(4, -(-lanes // 2)), dtype=np.uint64),
            log_weights=np.zeros(lanes),
            ratio=np.ones(lanes),
        )
        self._tables, self._rng = model.tables, rng
        self._log_mean = 0.0  # ln of the product of the mean weights, up to the last resampling

    def add(self, n: int, retained: np.ndarray = NOTHING) -> None:
        """Add cases up to the n-th; lane 0 takes the ``retained`` codes, if any."""
        visit(self._tables, self.lanes, self.n, n, 1, True, retained)
        self.n = n

    def sweep(self, retained: np.ndarray = NOTHING, backwards: bool = False) -> None:
        """One sweep of collapsed Gibbs sampling: draw the hidden states of each case given those of
        the others, from the first case to the last; or ``backwards``, which reverses a sweep.
        """
        order = range(self.n)[:: -1 if backwards else 1]
        visit(self._tables, self.lanes, order.start, order.stop, order.step, False, retained)

    def resample(self, lanes: int, conditional: bool) -> None:
        """Resample to ``lanes`` particles, if those are fewer or the effective sample size is low.

        ``conditional``: lane 0 keeps itself, as `parents` says.
        """
        log_mean, weights = self._weights()
        if lanes == len(weights) and 1 / np.square(weights).sum() >= RESAMPLE_BELOW * lanes:
            return
        self._log_mean += log_mean
        chosen = parents(weights, lanes, self._rng.random(), conditional)
        states, counts, totals, streams = self.lanes[:4]
        if lanes == len(weights):
            for table in (states[: self.n], counts, totals):
                copy_lanes(table, chosen)
        else:
            known, states = states, np.zeros((len(states), lanes), dtype=states.dtype)
            states[: self.n] = known[: self.n, chosen]
            counts, totals = (np.take(table, chosen, axis=1) for table in (counts, totals))
            streams = streams[:, : -(-lanes // 2)].copy()
        self.lanes = Lanes(states, counts, totals, streams, np.zeros(lanes), np.ones(lanes))

    def log_ratio(self) -> float:
        """ln of the estimated evidence of the cases so far over the unlinked model's, in nats."""
        return self._log_mean + self._weights()[0]

    def _weights(self) -> tuple[float, np.ndarray]:
        """ln of the mean weight since the last resampling, and the weights with sum 1."""
        logs = self.lanes.log_weights + np.log(self.lanes.ratio)
        weights = np.exp(logs - logs.max())
        total = weights.sum()
        return float(logs.max() + np.log(total / len(weights))), weights / total


def parents(weights: np.ndarray, lanes: int, uniform: float, conditional: bool) -> np.ndarray:
    """Which particle each of ``lanes`` new ones copies, by systematic resampling.

    The particles lie side by side on a circle of length 1, each as long as its weight, (particles,)
    with sum 1. Lane k takes the one at place (first + k / lanes) mod 1, where ``first``, the place
    of lane 0, is uniform on the circle: the j-th particle has lanes x weights[j] copies on average.
    ``conditional``: given that lane 0 copies particle 0, ``first`` is uniform on that particle's
    part (Chopin & Singh 2015, Bernoulli 21, 1855-1883). ``uniform`` lies in [0, 1).
    """
    first = uniform * (weights[0] if conditional else 1.0)
    places = (first + np.arange(lanes) / lanes) % 1.0
    # rounding may leave the last sum below a place
    return np.minimum(np.searchsorted(np.cumsum(weights), places, side="right"), len(weights) - 1)
