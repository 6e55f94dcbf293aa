"""The best of many starts of a fixed-point iteration, and when to stop starting."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from latentdag.fits.fixed_point import GAIN_TOLERANCE, Algorithm, Fits, Search, run_together
from latentdag.kernel import Kernel

SAME_OPTIMUM = 1e-2  # nats: restarts this close to the best count as having reached it
ROUND = 8  # restarts per structure between two looks at the stopping rule
AT_ONCE = 256 * ROUND  # fits held at once: more would take memory, and fill no batch better


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
    """How often to start again: at most ``restarts`` times, or until the best optimum has been
    reached ``hits`` times.
    """

    restarts: int = 20
    hits: int = 20
    max_iterations: int = 30_000

    def __post_init__(self):
        for name in ("restarts", "hits", "max_iterations"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")


def search(
    kernel: Kernel,
    algorithm: Algorithm,
    start: Callable[[int, int], np.ndarray],
    settings: Restarts,
    tolerance: float = GAIN_TOLERANCE,
    first: Sequence[Sequence[np.ndarray]] | None = None,
    report: Callable[[float], object] | None = None,
    at_once: int = AT_ONCE,
) -> list[Best]:
    """The best of several restarts for each of the kernel's structures, and of one more from each
    of the log weights ``first[s]`` when given.

    ``start(s, r)`` gives the log weights (H, F) of restart r. Restarts come in rounds of ROUND; a
    structure gets no further round once its best optimum has been reached often enough. The rule
    looks at whole rounds of that structure only, so that the outcome does not depend on which
    structures are searched together. The best fit goes on until less than ``tolerance`` nats are
    left to gain. ``report`` is called with the work done since its last call, as a number of
    structures. At most ``at_once`` restarts are held at a time, which changes no result.
    """
    best = []
    together = max(1, at_once // ROUND)
    for begin in range(0, len(kernel.n_coordinates), together):
        searches = [
            _search_one(
                s,
                lambda r, s=s: start(s, r),
                settings,
                tolerance,
                () if first is None else first[s],
                report,
                at_once,
            )
            for s in range(begin, min(begin + together, len(kernel.n_coordinates)))
        ]
        best += run_together(kernel, algorithm, searches, settings.max_iterations)
    return best


def _search_one(
    item: int,
    start: Callable[[int], np.ndarray],
    settings: Restarts,
    tolerance: float,
    first: Sequence[np.ndarray],
    report,
    at_once: int,
) -> Search:
    best, objective = None, np.empty(0)
    if len(first):
        fits = yield Fits.begin(item, first), GAIN_TOLERANCE
        objective = fits.objective
        best = fits[[np.argmax(objective)]]
    for done in range(0, settings.restarts, ROUND):
        fresh = range(done, min(done + ROUND, settings.restarts))
        for part in (fresh[i : i + at_once] for i in range(0, len(fresh), at_once)):
            fits = yield Fits.begin(item, [start(r) for r in part]), GAIN_TOLERANCE
            if report:
                report(len(part) / settings.restarts)
            objective = np.append(objective, fits.objective)
            leader = fits[[np.argmax(fits.objective)]]
            if best is None or leader.objective > best.objective:
                best = leader
        at_best = int(np.sum(objective >= objective.max() - SAME_OPTIMUM))
        if at_best >= settings.hits:
            break

    converged = best.converged.item()  # to GAIN_TOLERANCE
    if tolerance < GAIN_TOLERANCE:
        best = yield best, tolerance
    if report:
        report(1 - fresh.stop / settings.restarts)
    return Best(
        best.objective.item(),
        best.log_weights[0],
        best.iterations.item(),
        converged,
        len(objective),
        at_best,
    )
