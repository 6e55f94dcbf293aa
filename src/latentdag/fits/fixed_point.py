"""Accelerated fixed-point iteration from many starts: the one optimiser of EM, of variational
Bayesian EM and of its mean-field form.

These algorithms are maps from log weights to log weights that never decrease an objective. A cycle
takes two plain steps, extrapolates, and takes a third plain step from there, which is kept only if
it does not lower the objective: monotonicity is exact. The extrapolation is a quasi-Newton step
from the last few points and the plain steps taken there (Zhou, Alexander & Lange 2011, Stat.
Comput. 21, 261-273). Near a saddle it would lead back, downhill: there it is mirrored. After one
that was not kept, the next is SQUAREM's (Varadhan & Roland 2008, Scand. J. Stat. 35, 335-353).

Log weights are slots (H, F), ln theta or its like, for EM and VBEM; for the mean field they are
those of q(s), of a shape of their own, and `mean_field.MeanField` stands in for the kernel.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np

from latentdag.kernel import Batch, Kernel

GAIN_TOLERANCE = 1e-6  # nats: a fit has converged when no more than this is left to gain
MARGIN = 0.01  # what is left is estimated, and must be below this part of the tolerance
QUIET = 3  # ... for so many cycles in a row
RISING = 1e-3  # a fit in which a log weight rises by more than this in a step has not converged
ROUNDING = 1e-14  # a step that changes log weights by less than this is rounding
SECANTS = 6  # pairs of differences that a quasi-Newton step rests on; even, as a cycle adds two
RIDGE = 1e-10  # added to the diagonal of their normalised Gram matrix
SHORTEST = 1e-150  # a difference must be longer, for the square of its inverse to be a number
# The objective is a sum of logarithms weighed by pseudo-counts. A fall of it is rounding up to
# these parts of the objective and of the sum of all pseudo-counts, and a floor in nats.
PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9


class Algorithm(Protocol):
    """EM, VBEM or its mean-field form, for a batch of fits at once."""

    def step(
        self, batch: Batch, log_weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The objective at ``log_weights`` (C,), the next log weights and the pseudo-counts that
        give them, (C, H, F) each.
        """
        ...

    def feasible(self, batch: Batch, log_weights: np.ndarray) -> np.ndarray:
        """Extrapolated log weights brought back to where the objective is defined."""
        ...


@dataclass
class Fits:
    """State of I fits, one row each; ``items`` says which of the kernel's structures a fit belongs
    to.
    """

    items: np.ndarray  # (I,)
    log_weights: np.ndarray  # (I, H, F)
    objective: np.ndarray  # (I,), nats
    iterations: np.ndarray  # (I,), steps taken
    converged: np.ndarray  # (I,)
    rate: np.ndarray  # (I,), factor by which the last plain step was shorter than the one before
    quiet: np.ndarray  # (I,), cycles in a row with little left to gain
    newton: np.ndarray  # (I,), whether the next extrapolation is quasi-Newton's
    moves: np.ndarray  # (I, SECANTS, H F), differences between log weights
    changes: np.ndarray  # (I, SECANTS, H F), differences between the plain steps taken from them

    @classmethod
    def begin(cls, item: int, starts: np.ndarray) -> "Fits":
        """Fits of structure ``item`` from ``starts``, log weights (I, H, F)."""
        n = len(starts)
        moves, changes = np.zeros((2, n, SECANTS, starts[0].size))
        return cls(
            items=np.full(n, item),
            log_weights=np.array(starts),
            objective=np.full(n, -np.inf),
            iterations=np.zeros(n, dtype=int),
            converged=np.zeros(n, dtype=bool),
            rate=np.ones(n),
            quiet=np.zeros(n, dtype=int),
            newton=np.ones(n, dtype=bool),
            moves=moves,
            changes=changes,
        )

    def __getitem__(self, rows) -> "Fits":
        return Fits(*(getattr(self, f.name)[rows] for f in fields(self)))

    @staticmethod
    def join(parts: Sequence["Fits"]) -> "Fits":
        return Fits(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Fits))
        )


# A search yields fits and the tolerance to run them to, as often as it likes. It is sent them back
# when all have finished, and returns its result in the end.
Search = Generator[tuple[Fits, float], Fits, object]
Trace = Callable[[np.ndarray, np.ndarray], None]


def run_together(
    kernel: Kernel,
    algorithm: Algorithm,
    searches: Sequence[Search],
    max_iterations: int,
    trace: Trace | None = None,
) -> list:
    """The results of several searches, whose fits share batches so that these stay full while any
    search has work to do.

    ``trace`` is called with (indices of searches, objectives) at every accepted step, in order.
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
            for first in range(0, len(owner), kernel.batch_size):
                chunk = slice(first, first + kernel.batch_size)
                gap = _cycle(
                    kernel,
                    algorithm,
                    fits,
                    chunk,
                    None if trace is None else lambda v, of=owner[chunk]: trace(of, v),
                )
                # slow directions show late: hence a margin, and several cycles in a row
                fits.quiet[chunk] = np.where(
                    gap < MARGIN * tolerance[chunk], fits.quiet[chunk] + 1, 0
                )
                fits.converged[chunk] = fits.quiet[chunk] >= QUIET
            done = fits.converged | (fits.iterations >= max_iterations)
        for i in np.flatnonzero(done):
            finished[owner[i]][place[i]] = fits[[i]]
        complete = [
            s
            for s in dict.fromkeys(owner[done].tolist())
            if all(fit is not None for fit in finished[s])
        ]
        pool = [fits[~done]] if not done.all() else []
        owner, place, tolerance = owner[~done], place[~done], tolerance[~done]
        for s in complete:
            advance(s, Fits.join(finished.pop(s)))
    return results


def maximise(
    kernel: Kernel,
    algorithm: Algorithm,
    items: np.ndarray,
    starts: np.ndarray,
    max_iterations: int,
    tolerance: float = GAIN_TOLERANCE,
    trace: Trace | None = None,
) -> Fits:
    """Run every start, log weights (I, H, F), until less than ``tolerance`` nats are left to gain
    or ``max_iterations`` are done.

    ``trace`` is called with (indices of fits, their objectives) at every accepted step, in order.
    Raises FloatingPointError when an objective decreases beyond rounding or is not finite.
    """

    def one(item: int, start: np.ndarray) -> Search:
        return (yield Fits.begin(item, start[None]), tolerance)

    searches = [one(item, start) for item, start in zip(items, np.asarray(starts), strict=True)]
    return Fits.join(run_together(kernel, algorithm, searches, max_iterations, trace))


def _cycle(
    kernel: Kernel, algorithm: Algorithm, fits: Fits, chunk: slice, trace: Callable | None
) -> np.ndarray:
    """One cycle of the fits in ``chunk``: three steps, and the estimate of what is left to gain."""
    batch = kernel.batch(fits.items[chunk])
    w0 = fits.log_weights[chunk]
    f0, w1, mass = algorithm.step(batch, w0)
    total_mass = batch.total(mass)  # the same at every step
    _check_monotone(fits.objective[chunk], f0, total_mass)
    f1, w2, mass = algorithm.step(batch, w1)
    _check_monotone(f0, f1, total_mass)

    r = w1 - w0
    step = w2 - w1
    v = step - r
    # squares are weighed by the pseudo-counts: the information on ln theta if no state were hidden
    rr, vv, ss = batch.total(mass * r * r), batch.total(mass * v * v), batch.total(mass * step**2)
    # a fixed point (r = v = 0) takes the plain step, of length 1
    length = np.divide(np.sqrt(rr), np.sqrt(vv), out=np.ones_like(rr), where=vv > 0)
    length = np.clip(length, 1, 1e4)[:, None, None]
    secants = _Secants(fits, chunk)
    secants.add(r, v)
    newton = secants.quasi_newton((batch.share * mass).reshape(len(w1), -1), step)
    # gradient times step: twice what there is to gain if the algorithm's map is linear
    rise = batch.total(mass * step * newton)
    newton = np.where((rise < 0)[:, None, None], 2 * step - newton, newton)
    newton_due = fits.newton[chunk]
    w3 = np.where(newton_due[:, None, None], w1 + newton, w0 + length * (2 * r + length * v))
    with np.errstate(all="ignore"):  # an extrapolation gone astray overflows, and is not accepted
        w3 = algorithm.feasible(batch, w3)
        f3, w4, _ = algorithm.step(batch, w3)
        secants.add(w3 - w1, w4 - w3 - step)
    accept = f3 >= f1
    fits.newton[chunk] = accept | ~newton_due
    w4[~accept] = w2[~accept]
    objective = np.where(accept, f3, f1)
    fits.log_weights[chunk], fits.objective[chunk] = w4, objective
    fits.iterations[chunk] += 3
    if trace is not None:
        for values in (f0, f1, objective):
            trace(values)

    # Near an optimum, steps along mode i shrink by rho_i and the gap is half the sum of r_i^2 / (1
    # - rho_i): with the largest rate seen in the last two cycles for every rho_i this bounds it.
    # The quasi-Newton step knows of slower modes.
    now = np.sqrt(ss) / np.sqrt(np.maximum(rr, np.finfo(float).tiny))
    slowest = np.minimum(np.maximum(now, fits.rate[chunk]), 1)
    gap = 0.5 * np.maximum(ss / np.maximum(1 - slowest, 1e-16), np.abs(rise))
    gap[ss <= total_mass * ROUNDING**2] = 0
    # a weight that rises has something to gain, however little depends on it so far
    gap[step.max(axis=(1, 2)) > RISING] = np.inf
    fits.rate[chunk] = now
    return gap


class _Secants:
    """What the last steps of some fits say about the map's Jacobian."""

    def __init__(self, fits: Fits, chunk: slice):
        self.moves, self.changes = fits.moves[chunk], fits.changes[chunk]
        self.rows = np.arange(len(self.moves))
        self.oldest = fits.iterations[chunk] // 3 * 2 % SECANTS  # each cycle adds two

    def add(self, move: np.ndarray, change: np.ndarray) -> None:
        """Put a difference of two points and that of their steps, (C, H, F), in place of the
        oldest.
        """
        move, change = (x.reshape(len(x), -1) for x in (move, change))
        finite = np.isfinite(change).all(axis=1, keepdims=True)
        self.moves[self.rows, self.oldest] = np.where(finite, move, 0)
        self.changes[self.rows, self.oldest] = np.where(finite, change, 0)
        self.oldest = (self.oldest + 1) % SECANTS

    def quasi_newton(self, metric: np.ndarray, step: np.ndarray) -> np.ndarray:
        """The step to where ``step`` would vanish if the map were linear along the moves, and moved
        as now across them.

        ``metric`` (C, H F) weighs the squares that are minimised.
        """
        weighted = metric[:, None] * self.changes
        gram = np.matmul(weighted, self.changes.transpose(0, 2, 1))
        norm = np.sqrt(np.einsum("cmm->cm", gram))
        # a change of weights that no case has anything to do with underflows here: it says nothing
        scale = np.divide(1, norm, out=np.zeros_like(norm), where=norm > SHORTEST)
        gram *= scale[:, :, None] * scale[:, None, :]
        np.einsum("cmm->cm", gram)[:] = 1 + RIDGE
        flat = step.reshape(len(step), -1, 1)
        shares = (
            scale * np.linalg.solve(gram, np.matmul(weighted, flat) * scale[:, :, None])[:, :, 0]
        )
        return step - np.matmul(shares[:, None], self.moves + self.changes).reshape(step.shape)


def _check_monotone(before: np.ndarray, after: np.ndarray, mass: np.ndarray) -> None:
    if not np.isfinite(after).all():
        raise FloatingPointError(
            "an observed cell has probability 0 in double precision: alpha is too small for these "
            "data"
        )
    drop = before - after
    if (drop > PART_OF_OBJECTIVE * np.abs(after) + PART_OF_MASS * mass + FLOOR).any():
        raise FloatingPointError(
            f"the objective decreased by {drop.max():.3g} nats: this is a programming error"
        )
