"""Fixed-point iteration from many starts, for EM, variational Bayesian EM and its other forms.

The compiled optimiser, `latentdag.inference.em.optimiser`, runs fits side by side. Here they are
handed to it, and back to the searches that asked for them. `search` looks for the best of many
starts, and says when to stop starting.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, starmap
from typing import NamedTuple

import numpy as np

from latentdag.inference.em import optimiser
from latentdag.inference.em.optimiser import Fits
from latentdag.inference.slots import Batch, Kernel

GAIN_TOLERANCE = 1e-6  # nats: a fit has converged when no more than this is left to gain
SAME_OPTIMUM = 1e-2  # nats: restarts this close to the best count as having reached it
# Restarts are compared when at most this is left to gain, in nats; only the best is finished. That
# takes three quarters of the steps, and 97 of 100 fits end within SAME_OPTIMUM of where they were
COMPARED_AT = 0.1
ROUND = 8  # restarts per structure between two looks at the stopping rule
OPTIMA = 8  # distinct optima that are kept of each structure
DISTINCT = 1e-3  # nats: those that differ by less are taken for one
FITS_HELD = 2048  # fits held at once: more would take memory, and fill no batch better


class Algorithm(ABC):
    """EM, variational Bayesian EM or another form of it. Where it ``ascends`` a fall of the
    objective is an error, else a fit ends with it.
    """

    ascends = True

    @abstractmethod
    def problem(self, batch: Batch) -> NamedTuple:
        """A named tuple of the algorithm's arrays, for fits of the structures in ``batch``, in the
        order of its items.
        """

    def step(
        self, batch: Batch, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One step from ``log_weights`` (C, H, F), or as the algorithm has them, one for each item
        of ``batch``. Returns the objective there, in nats, (C,), the next log weights, and the
        pseudo-counts behind them, both of the shape of ``log_weights``.
        """
        flat = np.ascontiguousarray(log_weights, dtype=float).reshape(len(log_weights), -1)
        after, mass = np.empty_like(flat), np.empty_like(flat)
        objective = optimiser.steps(self.problem(batch), flat, after, mass)
        return objective, after.reshape(log_weights.shape), mass.reshape(log_weights.shape)


# A search yields fits and the tolerance to run them to, as often as it likes. It is sent them back
# when all have finished, and returns its result in the end.
Search = Generator[tuple[Fits, float], Fits, object]


def run_together(
    kernel: Kernel,
    algorithm: Algorithm,
    searches: Iterable[Search],
    max_iterations: int,
    at_once: int | None = None,
) -> list:
    """A list of the results of ``searches``, each a `Search`, in their order. Their fits, of
    structures of ``kernel`` by ``algorithm``, ``max_iterations`` steps at most each, run side by
    side, so that no lane is idle while any has work to do; ``at_once`` searches at a time, None for
    all. Raises FloatingPointError when an objective is not finite, or decreases beyond rounding
    where the algorithm ascends.
    """
    results, waiting = [], iter(searches)
    while group := list(islice(waiting, at_once)):
        results += _run_group(kernel, algorithm, group, max_iterations)
    return results


def _run_group(
    kernel: Kernel, algorithm: Algorithm, searches: Sequence[Search], max_iterations: int
) -> list:
    """The results of searches that all run at once, in their order; see `run_together`."""
    results: list = [None] * len(searches)
    problem = algorithm.problem(kernel.batch(np.arange(len(kernel.n_coordinates))))
    lanes = optimiser.lanes_for(problem)
    nothing = lanes.fits.rows(slice(0))
    running: dict[int, Fits] = {}  # the fits that each search waits for
    left: dict[int, int] = {}  # how many of them have not finished
    answers: dict[int, Fits | None] = dict.fromkeys(range(len(searches)))
    while answers or running:
        queue = [nothing]
        for s, answer in answers.items():
            try:
                running[s], tolerance = searches[s].send(answer)
            except StopIteration as stop:
                results[s] = stop.value
            else:
                queue.append(running[s].queued(s, tolerance))
                left[s] = len(running[s].items)
        done = optimiser.run(problem, lanes, Fits.join(queue), max_iterations)
        _check(done, kernel, algorithm.ascends)
        for s in np.unique(done.search).tolist():
            of_search = done.search == s
            running[s].put(done.rows(of_search))
            left[s] -= of_search.sum()
        answers = {s: running.pop(s) for s in [*running] if left[s] == 0}
    return results


def maximise(
    kernel: Kernel,
    algorithm: Algorithm,
    items: np.ndarray,
    starts: np.ndarray,
    max_iterations: int,
    tolerance: float = GAIN_TOLERANCE,
) -> Fits:
    """Run a fit of structure ``items[i]`` from every start i of ``starts``, log weights (I, H, F),
    until less than ``tolerance`` nats are left to gain or ``max_iterations`` steps are done.
    Returns the `Fits`, in the order of the starts. Raises FloatingPointError as `run_together`
    does.
    """

    def search() -> Search:
        return (yield Fits.begin(items, starts), tolerance)

    (fits,) = run_together(kernel, algorithm, [search()], max_iterations)
    return fits


def _check(done: Fits, kernel: Kernel, ascends: bool) -> None:
    for item, fall in zip(done.items, done.fall, strict=True):
        label = kernel.structures[item].label
        if np.isnan(fall):
            raise FloatingPointError(
                f"{label}: an observed cell has probability 0 in double precision: alpha is too "
                "small for these data"
            )
        if fall > 0 and ascends:
            raise FloatingPointError(
                f"{label}: the objective decreased by {fall:.3g} nats: this is a programming error"
            )


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
        """The log weights of the best optimum, (H, F)."""
        return self.optima[0]


def search(
    kernel: Kernel,
    algorithm: Algorithm,
    start: Callable[[int, int], np.ndarray],
    settings: Mapping[str, int],
    tolerance: float = GAIN_TOLERANCE,
    first: Sequence[Sequence[np.ndarray]] | None = None,
    report: Callable[[float], object] | None = None,
    enough: float = COMPARED_AT,
) -> list[Best]:
    """A list of a `Best` for each of the kernel's structures: the best of ``settings["restarts"]``
    restarts at most, and of one more from each of the log weights ``first[s]`` when given.

    ``start(s, r)`` gives the log weights (H, F) of restart r of structure s. Restarts run until at
    most ``enough`` nats are left to gain; the best after each round goes on until at most
    GAIN_TOLERANCE are, and in the end until at most ``tolerance``; a fit ends once it has taken
    ``settings["max_iterations"]`` steps. A structure gets no further round of ROUND restarts once
    its best optimum has been reached ``settings["hits"]`` times: that does not depend on which
    structures are searched together. ``report`` is called with the work done since its last call,
    as a number of structures. Raises FloatingPointError as `run_together` does.
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

    searches, together = map(one, range(len(kernel.n_coordinates))), max(1, FITS_HELD // ROUND)
    return run_together(kernel, algorithm, searches, settings["max_iterations"], together)


def best_of(
    kernel: Kernel,
    algorithm: Algorithm,
    starts: Iterable[Sequence[np.ndarray]],
    max_iterations: int,
    report: Callable[[float], object] | None = None,
    at_once: int = FITS_HELD,
) -> list[Fits]:
    """A list of the best fit of each of the kernel's structures, each `Fits` of one row, from
    ``starts``: for each structure its log weights (H, F), or as the algorithm has them, OPTIMA + 1
    at most. A fit ends after ``max_iterations`` steps at most; about ``at_once`` run at a time.
    ``report`` is called with 1 for each structure that is done. Raises FloatingPointError as
    `run_together` does.
    """

    def one(item: int, starts_of_item: Sequence[np.ndarray]) -> Search:
        fits = yield Fits.begin(item, starts_of_item), GAIN_TOLERANCE
        if report:
            report(1)
        return fits.rows([np.argmax(fits.objective)])

    searches, together = starmap(one, enumerate(starts)), max(1, at_once // OPTIMA)
    return run_together(kernel, algorithm, searches, max_iterations, together)


def distinct(values: np.ndarray, width: float = np.inf) -> list[int]:
    """Indices of the best of ``values`` (K,), in nats, best first: at most OPTIMA, no two within
    DISTINCT of each other, and none more than ``width`` below the best.
    """
    kept: list[int] = []
    for i in np.argsort(-values, kind="stable").tolist():
        if values[i] < values.max() - width or len(kept) == OPTIMA:
            break
        if not kept or values[i] < values[kept[-1]] - DISTINCT:
            kept.append(i)
    return kept
