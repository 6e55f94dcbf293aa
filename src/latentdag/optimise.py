"""Accelerated fixed-point iteration from many starts: the one optimiser of EM and of variational Bayesian EM.

Both algorithms are maps from log weights to log weights that never decrease an objective. SQUAREM (Varadhan & Roland 2008,
Scand. J. Stat. 35, 335-353) takes two plain steps, extrapolates along them, and takes a third plain step from there; here the
extrapolation is kept only if it does not lower the objective, so that monotonicity is exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from latentdag.inference import Batch, Kernel

GAIN_TOLERANCE = 1e-6  # nats: a fit has converged when its remaining gain is estimated to be below
SEARCH_TOLERANCE = 1e-4  # nats: enough to tell the optimum that a restart is heading for
LEADERS = 4  # restarts per structure that are finished
SAME_OPTIMUM = 1e-2  # nats: restarts this close to the best count as having reached it
ROUND = 8  # restarts per structure between two looks at the stopping rule


class Map(Protocol):
    """One step of EM or VBEM, batched."""

    def step(self, batch: Batch, log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The objective at ``log_weights`` (C,), the next log weights and the pseudo-counts that give them, (C, H, F) each."""
        ...

    def feasible(self, batch: Batch, log_weights: np.ndarray) -> np.ndarray:
        """Extrapolated log weights brought back to where the objective is defined."""
        ...


@dataclass
class Fits:
    """State of I fits, one row each; ``items`` says which of the kernel's structures a fit belongs to."""

    items: np.ndarray  # (I,)
    log_weights: np.ndarray  # (I, H, F)
    objective: np.ndarray  # (I,), nats
    iterations: np.ndarray  # (I,), steps taken
    converged: np.ndarray  # (I,)


def maximise(
    kernel: Kernel,
    mapping: Map,
    items: np.ndarray,
    starts: np.ndarray,
    max_iterations: int,
    tolerance: float = GAIN_TOLERANCE,
    trace: Callable[[np.ndarray, np.ndarray], None] | None = None,
) -> Fits:
    """Run every start, log weights (I, H, F), until less than ``tolerance`` nats are left to gain or ``max_iterations`` are done.

    ``trace`` gets (indices of fits, their objectives) at every accepted step, in order. Raises FloatingPointError when an
    objective decreases beyond rounding or is not finite.
    """
    n = len(items)
    fits = Fits(np.asarray(items), np.array(starts), np.full(n, -np.inf), np.zeros(n, dtype=int), np.zeros(n, dtype=bool))
    rate = np.ones(n)
    active = np.arange(n)
    while len(active):
        for chunk in kernel.parts(active):
            gap = _cycle(kernel, mapping, fits, rate, chunk, trace)
            fits.converged[chunk] = gap < tolerance
        active = active[~fits.converged[active] & (fits.iterations[active] < max_iterations)]
    return fits


def _cycle(
    kernel: Kernel, mapping: Map, fits: Fits, rate: np.ndarray, chunk: np.ndarray, trace: Callable | None
) -> np.ndarray:
    """One SQUAREM cycle of the fits in ``chunk``: three steps, and the estimate of what is left to gain."""
    batch = kernel.batch(fits.items[chunk])
    w0 = fits.log_weights[chunk]
    f0, w1, _ = mapping.step(batch, w0)
    _check_monotone(fits.objective[chunk], f0)
    f1, w2, mass = mapping.step(batch, w1)
    _check_monotone(f0, f1)

    r = w1 - w0
    v = (w2 - w1) - r
    # the metric of the complete data: its expected information in ln theta is the pseudo-count
    rr, vv, ss = batch.total(mass * r * r), batch.total(mass * v * v), batch.total(mass * (v + r) ** 2)
    # written so that a fixed point (r = v = 0) takes the plain step
    length = np.sqrt(np.maximum(rr, np.finfo(float).tiny) / np.maximum(vv, np.finfo(float).tiny))
    length = np.where(vv > 0, np.clip(length, 1, 1e4), 1)[:, None, None]
    w3 = w0 + length * (2 * r + length * v)
    with np.errstate(all="ignore"):  # an extrapolation gone astray overflows, and is not accepted
        f3, w4, _ = mapping.step(batch, mapping.feasible(batch, w3))
    accept = f3 >= f1
    w4[~accept] = w2[~accept]
    objective = np.where(accept, f3, f1)
    fits.log_weights[chunk], fits.objective[chunk] = w4, objective
    fits.iterations[chunk] += 3
    if trace is not None:
        for values in (f0, f1, objective):
            trace(chunk, values)

    # Near an optimum, steps along mode i shrink by rho_i and the gap is half the sum of r_i^2 / (1 - rho_i): with the
    # largest rate seen in the last two cycles for every rho_i this bounds it.
    now = np.sqrt(ss / np.maximum(rr, np.finfo(float).tiny))
    slowest = np.minimum(np.maximum(now, rate[chunk]), 1)
    gap = 0.5 * ss / np.maximum(1 - slowest, 1e-16)
    rate[chunk] = now
    return gap


def _check_monotone(before: np.ndarray, after: np.ndarray) -> None:
    if not np.isfinite(after).all():
        raise FloatingPointError("an observed cell has probability 0 in double precision: alpha is too small for these data")
    drop = before - after
    if (drop > 1e-11 * np.abs(after) + 1e-9).any():
        raise FloatingPointError(f"the objective decreased by {drop.max():.3g} nats: this is a programming error")


@dataclass
class Best:
    """The best fit of each of S structures and how the restarts went."""

    objective: np.ndarray  # (S,), nats
    log_weights: np.ndarray  # (S, H, F)
    iterations: np.ndarray  # (S,), steps of the best restart
    converged: np.ndarray  # (S,), of the best restart
    restarts: np.ndarray  # (S,)
    restarts_at_best: np.ndarray  # (S,), restarts within SAME_OPTIMUM of the best


@dataclass(frozen=True)
class Restarts:
    """How often to start again: at most ``restarts`` times, or until the best optimum has been reached ``hits`` times."""

    restarts: int = 20
    hits: int = 20
    max_iterations: int = 30_000

    def __post_init__(self):
        for name in ("restarts", "hits", "max_iterations"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")


def search(
    kernel: Kernel,
    mapping: Map,
    start: Callable[[int, int], np.ndarray],
    settings: Restarts,
    tolerance: float = GAIN_TOLERANCE,
    first: Sequence[np.ndarray] | None = None,
) -> Best:
    """The best of several restarts for each of the kernel's structures, and of one more from ``first[s]`` when given.

    ``start(s, r)`` gives the log weights (H, F) of restart r. Restarts come in rounds of ROUND; a structure gets no further round
    once its best optimum has been reached often enough. The rule looks at whole rounds only, so that the outcome does not
    depend on which structures are searched together. The best fit goes on until less than ``tolerance`` nats are left to gain.
    """
    n = len(kernel.n_coordinates)
    reached: list[list[tuple[float, int, np.ndarray]]] = [[] for _ in range(n)]  # objective, iterations, log weights
    best = np.full(n, -np.inf)
    at_best = np.zeros(n, dtype=int)

    def run(items: np.ndarray, starts: Sequence[np.ndarray]) -> None:
        fits = maximise(kernel, mapping, items, np.array(starts), settings.max_iterations, SEARCH_TOLERANCE)
        for s, *fit in zip(items, fits.objective, fits.iterations, fits.log_weights, strict=True):
            reached[s].append(tuple(fit))
        np.maximum.at(best, items, fits.objective)
        for s in set(items):
            at_best[s] = sum(objective >= best[s] - SAME_OPTIMUM for objective, *_ in reached[s])

    if first is not None:
        run(np.arange(n), first)
    for done in range(0, settings.restarts, ROUND):
        again = np.flatnonzero(at_best < settings.hits)
        if not len(again):
            break
        fresh = range(done, min(done + ROUND, settings.restarts))
        run(np.repeat(again, len(fresh)), [start(s, r) for s in again for r in fresh])

    # the search leaves each fit within its tolerance: which of the leading ones is best shows only when they are finished
    leaders = [sorted(fits, key=lambda fit: -fit[0])[:LEADERS] for fits in reached]
    leaders = [[fit for fit in fits if fit[0] >= fits[0][0] - 2 * SEARCH_TOLERANCE] for fits in leaders]
    items = np.repeat(np.arange(n), [len(fits) for fits in leaders])
    finished = maximise(kernel, mapping, items, [fit[2] for fits in leaders for fit in fits], settings.max_iterations)
    finished.iterations += [fit[1] for fits in leaders for fit in fits]
    choice = np.array([members[np.argmax(finished.objective[members])] for s in range(n) for members in [np.flatnonzero(items == s)]])
    final = maximise(kernel, mapping, np.arange(n), finished.log_weights[choice], settings.max_iterations, tolerance)
    return Best(
        objective=final.objective,
        log_weights=final.log_weights,
        iterations=finished.iterations[choice] + final.iterations,
        converged=final.converged,
        restarts=np.array([len(fits) for fits in reached]),
        restarts_at_best=at_best,
    )
