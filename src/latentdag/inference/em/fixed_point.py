"""Fixed-point iteration from many starts, for EM, variational Bayesian EM and its other forms.

The compiled optimiser, `latentdag.inference.em.optimiser`, runs fits side by side. Here they are
handed to it, and back to the searches that asked for them.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from latentdag.inference.em import optimiser
from latentdag.inference.em.optimiser import Fits
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
    nothing = Fits(*(column[:0] for column in lanes.fits))
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
            own = done.search == s
            running[s].put(done.rows(own))
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
