"""The best of many starts of a fixed-point iteration, and when to stop starting."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np

from latentdag.inference.em.fixed_point import GAIN_TOLERANCE, Algorithm, Fits, Search, run_together
from latentdag.inference.slots import Kernel

SAME_OPTIMUM = 1e-2  # nats: restarts this close to the best count as having reached it
# Restarts are compared when at most this is left to gain, in nats; only the best is finished. That
# takes three quarters of the steps, and 97 of 100 fits end within SAME_OPTIMUM of where they were
ENOUGH = 0.1
ROUND = 8  # restarts per structure between two looks at the stopping rule
OPTIMA = 8  # distinct optima that are kept of each structure
DISTINCT = 1e-3  # nats: those that differ by less are taken for one
AT_ONCE = 2048  # fits held at once: more would take memory, and fill no batch better


@dataclass(frozen=True)
class Best:
    """The best fit of one structure and how its restarts went."""

    objective: float  # nats
    optima: np.ndarray  # (K, H, F), log weights of the best distinct optima, best first
    iterations: int  # steps of the best restart
    converged: bool  # the best restart
    restarts: int
    restarts_at_best: int  # restarts within SAME_OPTIMUM of the best

    @property
    def log_weights(self) -> np.ndarray:
        """Those of the best optimum, (H, F)."""
        return self.optima[0]


def search(
    kernel: Kernel,
    algorithm: Algorithm,
    start: Callable[[int, int], np.ndarray],
    settings: Mapping[str, int],
    tolerance: float = GAIN_TOLERANCE,
    first: Sequence[Sequence[np.ndarray]] | None = None,
    report: Callable[[float], object] | None = None,
    enough: float = ENOUGH,
) -> list[Best]:
    """The best of ``restarts`` restarts at most for each of the kernel's structures, and of one
    more from each of the log weights ``first[s]`` when given.

    ``start(s, r)`` gives the log weights (H, F) of restart r. Restarts run until at most ``enough``
    nats are left to gain; the best after each round goes on until at most GAIN_TOLERANCE are, and
    in the end until at most ``tolerance``. A structure gets no further round of ROUND restarts once
    its best optimum has been reached ``hits`` times: that does not depend on which structures are
    searched together. ``report`` is called with the work done since, as a number of structures.
    """

    most = settings["restarts"]

    def one(s: int) -> Search:
        optima, objective, finished = None, np.empty(0), -np.inf
        if first is not None and len(first[s]):
            optima = yield Fits.begin(s, first[s]), enough
            objective = optima.objective
        for done in range(0, most, ROUND):
            fresh = range(done, min(done + ROUND, most))
            fits = yield Fits.begin(s, [start(s, r) for r in fresh]), enough
            if report:
                report(len(fresh) / most)
            objective = np.append(objective, fits.objective)
            optima = fits if optima is None else Fits.join([optima, fits])
            optima = optima.rows(distinct(optima.objective))
            leader = np.argmax(objective)
            if objective[leader] > finished:
                best = optima.rows([0])
                if best.converged and enough > GAIN_TOLERANCE:
                    best = yield best, GAIN_TOLERANCE
                finished = objective[leader] = best.objective.item()
                optima = Fits.join([best, optima.rows(slice(1, None))])
                optima = optima.rows(distinct(optima.objective))
            at_best = int(np.sum(objective >= finished - SAME_OPTIMUM))
            if at_best >= settings["hits"]:
                break

        converged = best.converged.item()  # to GAIN_TOLERANCE
        if converged and tolerance < GAIN_TOLERANCE:
            best = yield best, tolerance
        if report:
            report(1 - fresh.stop / most)
        return Best(
            best.objective.item(),
            np.concatenate([best.log_weights, optima.log_weights[1:]]),
            best.iterations.item(),
            converged,
            len(objective),
            at_best,
        )

    searches, together = map(one, range(len(kernel.n_coordinates))), max(1, AT_ONCE // ROUND)
    return run_together(kernel, algorithm, searches, settings["max_iterations"], together)


def best_of(
    kernel: Kernel,
    algorithm: Algorithm,
    starts: Iterable[Sequence[np.ndarray]],
    max_iterations: int,
    report: Callable[[float], object] | None = None,
    at_once: int = AT_ONCE,
) -> list[Fits]:
    """The best fit of each of the kernel's structures, a row of `Fits`, from known starts: for each
    log weights of OPTIMA + 1 at most, about ``at_once`` at a time. ``report`` as by `search`.
    """

    def one(item: int, own: Sequence[np.ndarray]) -> Search:
        fits = yield Fits.begin(item, own), GAIN_TOLERANCE
        if report:
            report(1)
        return fits.rows([np.argmax(fits.objective)])

    searches, together = starmap(one, enumerate(starts)), max(1, at_once // OPTIMA)
    return run_together(kernel, algorithm, searches, max_iterations, together)


def distinct(values: np.ndarray, width: float = np.inf) -> list[int]:
    """Which ``values`` (K,), in nats, are the best, best first: at most OPTIMA, no two within
    DISTINCT of each other, and none more than ``width`` below the best.
    """
    kept: list[int] = []
    for i in np.argsort(-values, kind="stable").tolist():
        if values[i] < values.max() - width or len(kept) == OPTIMA:
            break
        if not kept or values[i] < values[kept[-1]] - DISTINCT:
            kept.append(i)
    return kept
