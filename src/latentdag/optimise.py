"""Accelerated fixed-point iteration from many starts: the one optimiser of EM and of variational Bayesian EM.

Both algorithms are maps from log weights to log weights that never decrease an objective. SQUAREM (Varadhan & Roland 2008,
Scand. J. Stat. 35, 335-353) takes two plain steps, extrapolates along them, and takes a third plain step from there; here the
extrapolation is kept only if it does not lower the objective, so that monotonicity is exact.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from latentdag.inference import Batch, Kernel

GAIN_TOLERANCE = 1e-6  # nats: a fit has converged when its remaining gain is estimated to be below
SEARCH_TOLERANCE = 1e-3  # nats: enough to tell the optimum that a restart is heading for
MARGIN = 0.03  # the estimated gain must be below this part of the tolerance
QUIET = 3  # ... for so many cycles in a row
RISING = 1e-3  # step of a log weight that is no longer counted as standing still
ROUNDING = 1e-14  # a step of log weights that is shorter is no step
LEADERS = 5  # restarts per structure that are finished
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
    rate: np.ndarray  # (I,), factor by which the last plain step was shorter than the one before
    quiet: np.ndarray  # (I,), cycles in a row with little left to gain

    @classmethod
    def begin(cls, item: int, starts: np.ndarray) -> "Fits":
        """Fits of structure ``item`` from ``starts``, log weights (I, H, F)."""
        n = len(starts)
        zeros = np.zeros(n, dtype=int)
        return cls(np.full(n, item), np.array(starts), np.full(n, -np.inf), zeros, zeros > 0, np.ones(n), zeros.copy())

    def __getitem__(self, rows) -> "Fits":
        return Fits(*(getattr(self, f.name)[rows] for f in fields(self)))

    @staticmethod
    def join(parts: Sequence["Fits"]) -> "Fits":
        return Fits(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Fits)))


# A search asks for starts to be run to a tolerance, gets the finished fits, and returns its result in the end.
Search = Generator[tuple[Fits, float], Fits, "Fits | Best"]
Trace = Callable[[np.ndarray, np.ndarray], None]


def _run_together(
    kernel: Kernel, mapping: Map, searches: Sequence[Search], max_iterations: int, trace: Trace | None = None
) -> list:
    """The results of several searches, whose fits share batches so that these stay full while any search has work to do.

    ``trace`` gets (indices of searches, objectives) at every accepted step, in order.
    """
    results: list = [None] * len(searches)
    pool: list[Fits] = []
    owner, place, tolerance = (np.empty(0, dtype=kind) for kind in (int, int, float))
    finished: dict[int, list] = {}  # fits of the request that each search waits for

    def advance(s: int, answer: Fits | None) -> None:
        nonlocal owner, place, tolerance
        try:
            fits, tolerated = searches[s].send(answer)
        except StopIteration as stop:
            results[s] = stop.value
            return
        n = len(fits.items)
        finished[s] = [None] * n
        pool.append(fits)
        owner, place = np.append(owner, np.full(n, s)), np.append(place, np.arange(n))
        tolerance = np.append(tolerance, np.full(n, tolerated))

    for s in range(len(searches)):
        advance(s, None)
    while pool:
        fits = Fits.join(pool)
        done = np.zeros(len(owner), dtype=bool)
        while not done.any():
            for chunk in kernel.parts(np.arange(len(owner))):
                gap = _cycle(kernel, mapping, fits, chunk, None if trace is None else lambda v, of=owner[chunk]: trace(of, v))
                # slow directions show late: the estimate is given a margin, and must hold for some cycles
                fits.quiet[chunk] = np.where(gap < MARGIN * tolerance[chunk], fits.quiet[chunk] + 1, 0)
                fits.converged[chunk] = fits.quiet[chunk] >= QUIET
            done = fits.converged | (fits.iterations >= max_iterations)
        for i in np.flatnonzero(done):
            finished[owner[i]][place[i]] = fits[i : i + 1]
        complete = [s for s in dict.fromkeys(owner[done].tolist()) if all(fit is not None for fit in finished[s])]
        pool = [fits[~done]] if not done.all() else []
        owner, place, tolerance = owner[~done], place[~done], tolerance[~done]
        for s in complete:
            advance(s, Fits.join(finished.pop(s)))
    return results


def maximise(
    kernel: Kernel,
    mapping: Map,
    items: np.ndarray,
    starts: np.ndarray,
    max_iterations: int,
    tolerance: float = GAIN_TOLERANCE,
    trace: Trace | None = None,
) -> Fits:
    """Run every start, log weights (I, H, F), until less than ``tolerance`` nats are left to gain or ``max_iterations`` are done.

    ``trace`` gets (indices of fits, their objectives) at every accepted step, in order. Raises FloatingPointError when an
    objective decreases beyond rounding or is not finite.
    """

    def one(item: int, start: np.ndarray) -> Search:
        return (yield Fits.begin(item, start[None]), tolerance)

    searches = [one(item, start) for item, start in zip(items, np.asarray(starts), strict=True)]
    return Fits.join(_run_together(kernel, mapping, searches, max_iterations, trace))


def _cycle(kernel: Kernel, mapping: Map, fits: Fits, chunk: np.ndarray, trace: Callable | None) -> np.ndarray:
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
            trace(values)

    # Near an optimum, steps along mode i shrink by rho_i and the gap is half the sum of r_i^2 / (1 - rho_i): with the
    # largest rate seen in the last two cycles for every rho_i this bounds it.
    now = np.sqrt(ss / np.maximum(rr, np.finfo(float).tiny))
    slowest = np.minimum(np.maximum(now, fits.rate[chunk]), 1)
    gap = 0.5 * ss / np.maximum(1 - slowest, 1e-16)
    gap[ss <= batch.total(mass) * ROUNDING**2] = 0
    # a weight that rises has something to gain, however little depends on it so far
    gap[(w2 - w1).max(axis=(1, 2)) > RISING] = np.inf
    fits.rate[chunk] = now
    return gap


def _check_monotone(before: np.ndarray, after: np.ndarray) -> None:
    if not np.isfinite(after).all():
        raise FloatingPointError("an observed cell has probability 0 in double precision: alpha is too small for these data")
    drop = before - after
    if (drop > 1e-11 * np.abs(after) + 1e-9).any():
        raise FloatingPointError(f"the objective decreased by {drop.max():.3g} nats: this is a programming error")


@dataclass(frozen=True)
class Best:
    """The best fit of one structure and how its restarts went."""

    objective: float  # nats
    log_weights: np.ndarray  # (H, F)
    iterations: int  # steps of the best restart
    converged: bool  # the best restart
    restarts: int
    restarts_at_best: int  # restarts within SAME_OPTIMUM of the best


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
) -> list[Best]:
    """The best of several restarts for each of the kernel's structures, and of one more from ``first[s]`` when given.

    ``start(s, r)`` gives the log weights (H, F) of restart r. Restarts come in rounds of ROUND; a structure gets no further round
    once its best optimum has been reached often enough. The rule looks at whole rounds of that structure only, so that the
    outcome does not depend on which structures are searched together. The best fit goes on until less than ``tolerance`` nats
    are left to gain.
    """
    searches = [
        _search_one(s, lambda r, s=s: start(s, r), settings, tolerance, None if first is None else first[s])
        for s in range(len(kernel.n_coordinates))
    ]
    return _run_together(kernel, mapping, searches, settings.max_iterations)


def _search_one(item: int, start: Callable[[int], np.ndarray], settings: Restarts, tolerance: float, first) -> Search:
    reached = []
    if first is not None:
        reached.append((yield Fits.begin(item, first[None]), SEARCH_TOLERANCE))
    for done in range(0, settings.restarts, ROUND):
        fresh = range(done, min(done + ROUND, settings.restarts))
        reached.append((yield Fits.begin(item, [start(r) for r in fresh]), SEARCH_TOLERANCE))
        objective = np.concatenate([fits.objective for fits in reached])
        at_best = int(np.sum(objective >= objective.max() - SAME_OPTIMUM))
        if at_best >= settings.hits:
            break

    # the search leaves each fit within its tolerance: which of the leading ones is best shows only when they are finished
    order = np.argsort(-objective, kind="stable")[:LEADERS]
    leaders = Fits.join(reached)[order[objective[order] >= objective.max() - 2 * SEARCH_TOLERANCE]]
    leaders = yield leaders, GAIN_TOLERANCE
    best = leaders[[np.argmax(leaders.objective)]]
    converged = best.converged.item()
    if tolerance < GAIN_TOLERANCE:
        best = yield best, tolerance
    return Best(best.objective.item(), best.log_weights[0], best.iterations.item(), converged, len(objective), at_best)
