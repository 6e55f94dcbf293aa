"""Fixed-point iteration from many starts, for EM, variational Bayesian EM and its other forms.

The compiled optimiser, `latentdag.inference.em.optimiser`, runs fits side by side. Here they are
handed to it, and back to the searches that asked for them.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import NamedTuple

import numpy as np

from latentdag.inference.em import optimiser
from latentdag.inference.em.optimiser import Queue
from latentdag.inference.slots import Batch, Kernel

GAIN_TOLERANCE = 1e-6  # nats: a fit has converged when no more than this is left to gain


class Algorithm(ABC):
    """EM, variational Bayesian EM or another form of it. Where it ``ascends`` a fall of the
    objective is an error, else a fit ends with it.
    """

    ascends = True

    @abstractmethod
    def problem(self, batch: Batch) -> NamedTuple:
        """Its arrays for fits of the structures in ``batch``, which are its items."""

    def step(
        self, batch: Batch, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By item of ``batch``: objective (C,) in nats, next log weights, their pseudo-counts."""
        flat = np.ascontiguousarray(log_weights, dtype=float).reshape(len(log_weights), -1)
        after, mass = np.empty_like(flat), np.empty_like(flat)
        objective = optimiser.steps(self.problem(batch), flat, after, mass)
        return objective, after.reshape(log_weights.shape), mass.reshape(log_weights.shape)


@dataclass
class Fits:
    """State of I fits, one row each; ``items`` are the structures of the kernel they belong to."""

    items: np.ndarray  # (I,)
    log_weights: np.ndarray  # (I, H, F), or of another shape that the algorithm has
    objective: np.ndarray  # (I,), nats
    iterations: np.ndarray  # (I,), steps taken
    converged: np.ndarray  # (I,)

    @classmethod
    def begin(cls, items: int | np.ndarray, starts: np.ndarray) -> "Fits":
        """Fits of the structure or structures ``items`` from ``starts``, log weights (I, H, F)."""
        n = len(starts)
        return cls(
            items=np.full(n, items),
            log_weights=np.array(starts, dtype=float),
            objective=np.full(n, -np.inf),
            iterations=np.zeros(n, dtype=int),
            converged=np.zeros(n, dtype=bool),
        )

    def __getitem__(self, rows) -> "Fits":
        return Fits(*(getattr(self, f.name)[rows] for f in fields(self)))

    @staticmethod
    def join(parts: Sequence["Fits"]) -> "Fits":
        return Fits(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Fits))
        )

    def queue(self, search: int, tolerance: float) -> Queue:
        """The fits of one search, to be run until at most ``tolerance`` nats are left to gain."""
        n = len(self.items)
        return Queue(
            search=np.full(n, search),
            place=np.arange(n),
            items=self.items,
            tolerance=np.full(n, tolerance),
            log_weights=self.log_weights.reshape(n, -1),
            objective=self.objective,
            iterations=self.iterations,
            converged=np.zeros(n, dtype=bool),
            fall=np.zeros(n),
        )

    def put(self, rows: np.ndarray, done: Queue, own: np.ndarray) -> None:
        """How far the fits in ``rows`` have come: the rows ``own`` of what was ``done``."""
        self.log_weights[rows] = done.log_weights[own].reshape(-1, *self.log_weights.shape[1:])
        self.objective[rows], self.iterations[rows] = done.objective[own], done.iterations[own]
        self.converged[rows] = done.converged[own]


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
    """The results of several searches, whose fits run side by side, so that no lane is idle while
    any has work to do; ``at_once`` at a time, None for all. Raises FloatingPointError when an
    objective is not finite, or decreases beyond rounding where the algorithm ascends.
    """
    results, waiting = [], iter(searches)
    while group := list(islice(waiting, at_once)):
        results += _run_group(kernel, algorithm, group, max_iterations)
    return results


def _run_group(
    kernel: Kernel, algorithm: Algorithm, searches: Sequence[Search], max_iterations: int
) -> list:
    """The same for searches that all run at once."""
    results: list = [None] * len(searches)
    problem = algorithm.problem(kernel.batch(np.arange(len(kernel.n_coordinates))))
    lanes = optimiser.lanes_for(problem)
    nothing = Queue(*(column[:0] for column in lanes.fits))
    running: dict[int, Fits] = {}  # the fits that each search waits for
    left: dict[int, int] = {}  # how many of them have not finished
    answers: dict[int, Fits | None] = dict.fromkeys(range(len(searches)))
    while answers or running:
        queues = [nothing]
        for s, answer in answers.items():
            try:
                running[s], tolerance = searches[s].send(answer)
            except StopIteration as stop:
                results[s] = stop.value
            else:
                queues.append(running[s].queue(s, tolerance))
                left[s] = len(running[s].items)
        queue = Queue(*map(np.concatenate, zip(*queues, strict=True)))
        done = optimiser.run(problem, lanes, queue, max_iterations)
        _check(done, kernel, algorithm.ascends)
        for s in np.unique(done.search).tolist():
            own = done.search == s
            running[s].put(done.place[own], done, own)
            left[s] -= own.sum()
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
    """Run every start, log weights (I, H, F), until less than ``tolerance`` nats are left to gain
    or ``max_iterations`` are done. Raises FloatingPointError as `run_together` does.
    """

    def search() -> Search:
        return (yield Fits.begin(items, starts), tolerance)

    (fits,) = run_together(kernel, algorithm, [search()], max_iterations)
    return fits


def _check(done: Queue, kernel: Kernel, ascends: bool) -> None:
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
