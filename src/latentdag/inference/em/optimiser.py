"""The compiled optimiser of fixed-point iterations.

These algorithms are maps from log weights to log weights that never decrease an objective. A cycle
takes two plain steps, extrapolates, and takes a third plain step from there, which is kept only if
it does not lower the objective: monotonicity is exact. The extrapolation is a quasi-Newton step
from the last few points and the plain steps taken there (Zhou, Alexander & Lange 2011, Stat.
Comput. 21, 261-273). Near a saddle it would lead back, downhill: there it is mirrored. After one
that was not kept, the next is SQUAREM's (Varadhan & Roland 2008, Scand. J. Stat. 35, 335-353).

Fits run side by side, one per lane; when one is done the next takes its lane. What an algorithm
needs is a named tuple of arrays, its *problem*, with ``share`` (rows, LANES): the weight of each
log weight in sums over the parameters. What it does are compiled functions, those of `begin`,
`ready`, `step` and `feasible` that it gives to `implement`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from latentdag.engine.jit import DIVISION, compiled, once  # before numba

# isort: split
import numpy as np
from numba import types
from numba.extending import overload

from latentdag.engine.simd import (
    LANES,
    everywhere,
    fma,
    load,
    magnitude,
    square_root,
    store,
    vectors,
    where,
)

MARGIN = 0.01  # what is left is estimated, and must be below this part of the tolerance
QUIET = 3  # ... for so many cycles in a row
RISING = 1e-3  # a fit in which a log weight rises by more than this in a step has not converged
STEP_ROUNDING = 1e-14  # a step that changes log weights by less than this is rounding
LONGEST = 1e4  # of SQUAREM's steps, in units of the plain one
SECANTS = 6  # pairs of differences that a quasi-Newton step rests on; even, as a cycle adds two
RIDGE = 1e-10  # added to the diagonal of their normalised Gram matrix
SHORTEST = 1e-150  # a difference must be longer, for the square of its inverse to be a number
# The objective is a sum of logarithms weighed by pseudo-counts. A fall of it is rounding up to
# these parts of the objective and of the sum of all pseudo-counts, and a floor in nats.
PART_OF_OBJECTIVE, PART_OF_MASS, FLOOR = 1e-11, 1e-15, 1e-9
BRIEF = 0.05  # seconds: a compiled call that took less may do twice the cycles the next time
TINY, NARROWEST = np.finfo(float).tiny, 1e-16


def begin(problem, lane, item):
    """Let ``lane`` belong to structure ``item``: fill what differs between structures in
    ``problem``.
    """


def ready(problem):
    """Compute in ``problem`` what follows from the lanes' items alone, after some have changed."""


def step(problem, log_weights, after, mass):
    """One step from ``log_weights`` (rows, LANES): the next log weights into ``after``, the
    pseudo-counts behind them into ``mass``. Returns the objective at ``log_weights``, in nats,
    (LANES,).
    """


def feasible(problem, log_weights):
    """Bring extrapolated ``log_weights`` (rows, LANES) back to where the objective is defined, in
    place.
    """


def implement(problem: type[NamedTuple], **functions: compiled) -> None:
    """Let `begin`, `ready`, `step` and `feasible` above do for named tuples of type ``problem``
    what the compiled ``functions`` with these names do; one that is not given does nothing.
    """
    for generic in (begin, ready, step, feasible):
        function = functions.get(generic.__name__)
        _implement(generic, problem, function.py_func if function else generic)


def _implement(generic: Callable, problem: type, function: Callable) -> None:
    @overload(generic, strict=False, jit_options=DIVISION)
    def choose(of, *_):
        if isinstance(of, types.BaseNamedTuple) and of.instance_class is problem:
            return function
        return None


class Fits(NamedTuple):
    """I fits, one row each, that wait for a lane, run in one or have left theirs."""

    items: np.ndarray  # (I,): the structures of the kernel that they belong to
    log_weights: np.ndarray  # (I, H, F), or as the algorithm has them; beside lanes (I, rows)
    objective: np.ndarray  # (I,), nats
    iterations: np.ndarray  # (I,), steps taken
    converged: np.ndarray  # (I,)
    fall: np.ndarray  # (I,), of the objective, nats; nan where it is not finite; 0: no error
    tolerance: np.ndarray  # (I,), nats that may be left to gain
    search: np.ndarray  # (I,), which search a fit belongs to; NOBODY in an idle lane
    place: np.ndarray  # (I,), among the fits that this waits for

    @classmethod
    def begin(cls, items: int | np.ndarray, starts: np.ndarray) -> Fits:
        """New `Fits` from ``starts``, log weights (I, H, F), of the kernel's structures ``items``,
        indices (I,) or one index for all.
        """
        n = len(starts)
        weights, objective = np.array(starts, dtype=float, order="C"), np.full(n, -np.inf)
        iterations, search, place = np.zeros((3, n), dtype=int)
        state = objective, iterations, np.zeros(n, dtype=bool), *np.zeros((2, n))
        return cls(np.full(n, items), weights, *state, search, place)

    @classmethod
    def join(cls, parts: Iterable[Fits]) -> Fits:
        """The fits of all ``parts``, one after another."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def rows(self, which: slice | Sequence[int] | np.ndarray) -> Fits:
        """The fits in the rows ``which``: a slice, indices or flags (I,)."""
        return Fits(*(column[which] for column in self))

    def queued(self, search: int, tolerance: float) -> Fits:
        """The fits with ``search`` as their search, numbered in it from 0, their log weights as
        (I, rows), until ``tolerance`` nats at most are left to gain.
        """
        n = len(self.items)
        return self._replace(
            log_weights=self.log_weights.reshape(n, -1),
            place=np.arange(n),
            search=np.full(n, search),
            tolerance=np.full(n, tolerance),
        )

    def put(self, done: Fits) -> None:
        """Copy log weights, objective, iterations and convergence of the fits ``done`` into these
        fits, each in the row of its ``place``.
        """
        for column, new in zip(self[1:5], done[1:5], strict=True):
            column[done.place] = new.reshape(-1, *column.shape[1:])


class Lanes(NamedTuple):
    """The fits that run side by side, one per lane."""

    fits: Fits  # (LANES,) each; the log weights are the first of ``points``
    rate: np.ndarray  # (LANES,): by how much the last plain step was shorter than that before it
    quiet: np.ndarray  # (LANES,): cycles in a row with little left to gain
    newton: np.ndarray  # (LANES,): 1 where the next extrapolation is quasi-Newton's, else 0
    finite: np.ndarray  # (LANES,): whether the last extrapolation led to numbers
    points: np.ndarray  # (5, rows, LANES): the log weights that a cycle goes through
    mass: np.ndarray  # (rows, LANES): pseudo-counts behind the log weights
    metric: np.ndarray  # (rows, LANES): what squares are weighed by
    step: np.ndarray  # (rows, LANES): the second plain step of the cycle
    moves: np.ndarray  # (SECANTS, rows, LANES): differences between log weights
    changes: np.ndarray  # (SECANTS, rows, LANES): differences between the plain steps from there
    newest: np.ndarray  # (1,): which of the secants is the last one
    gram: np.ndarray  # (SECANTS, SECANTS, LANES), to work in
    scale: np.ndarray  # (SECANTS, LANES)
    shares: np.ndarray  # (SECANTS, LANES)
    cycles: np.ndarray  # (1,): how many cycles one compiled call may do


NOBODY = -1


def lanes_for(problem: NamedTuple) -> Lanes:
    """The `Lanes` for fits of ``problem`` side by side, none of them begun."""
    rows = len(problem.share)
    points, idle = vectors(5, rows), Fits.begin(0, np.zeros((LANES, 1)))
    return Lanes(
        idle._replace(log_weights=points[0].T, search=np.full(LANES, NOBODY)),
        *np.zeros((4, LANES)),
        points,
        *(vectors(rows) for _ in range(3)),
        *(vectors(SECANTS, rows) for _ in range(2)),
        newest=np.zeros(1, dtype=int),
        gram=vectors(SECANTS, SECANTS),
        scale=vectors(SECANTS),
        shares=vectors(SECANTS),
        cycles=np.ones(1, dtype=int),
    )


def run(problem: NamedTuple, lanes: Lanes, queue: Fits, max_iterations: int) -> Fits:
    """Run fits in ``lanes``, which take them from ``queue``, until the queue is empty and a fit has
    left its lane: converged, after ``max_iterations`` steps or with an error. Returns the fits that
    have left. Compiled calls are brief, as Python handles a signal between two; none returns a
    tuple of arrays, which numba breaks where a signal waits: that may end the process.
    """
    n = len(queue.items) + LANES
    done = Fits(*(np.empty((n, *a.shape[1:]), a.dtype) for a in queue))
    passed = np.zeros(2, dtype=int)  # how many fits have left the queue, and their lanes
    over = False
    while not over:
        start = time.perf_counter()
        over = _run(problem, lanes, queue, done, passed, max_iterations)
        if not over and time.perf_counter() - start < BRIEF:
            lanes.cycles[0] *= 2
    return done.rows(slice(passed[1]))


@compiled
def _run(problem, lanes, queue, done, passed, max_iterations):
    """Run for ``lanes.cycles`` at most; fits that leave go to ``done``. Whether `run` is over."""
    fits, waiting = lanes.fits, len(queue.items)
    for _ in range(lanes.cycles[0]):
        before = passed[0]
        for lane in range(LANES):
            if fits.search[lane] == NOBODY and passed[0] < waiting:
                _move(queue, passed[0], fits, lane)
                _begin(problem, lanes, lane)
                passed[0] += 1
        if passed[0] > before:
            ready(problem)
        if (fits.search == NOBODY).all() or (passed[0] == waiting and passed[1] > 0):
            return True
        _cycle(problem, lanes)
        for lane in range(LANES):
            fits.converged[lane] = lanes.quiet[lane] >= QUIET
            ends = fits.converged[lane] or fits.iterations[lane] >= max_iterations
            if fits.search[lane] != NOBODY and (ends or fits.fall[lane] != 0):
                _move(fits, lane, done, passed[1])
                fits.search[lane] = NOBODY
                passed[1] += 1
    return False


@compiled
def _move(source, i, target, j):
    """Put the fit in row ``i`` of the source in row ``j`` of the target."""
    target.search[j], target.place[j] = source.search[i], source.place[i]
    target.items[j], target.tolerance[j] = source.items[i], source.tolerance[i]
    target.log_weights[j], target.objective[j] = source.log_weights[i], source.objective[i]
    target.iterations[j], target.converged[j] = source.iterations[i], source.converged[i]
    target.fall[j] = source.fall[i]


@once
def _begin(problem, lanes, lane):
    """Let the fit in ``lane`` begin."""
    begin(problem, lane, lanes.fits.items[lane])
    lanes.quiet[lane], lanes.rate[lane], lanes.newton[lane] = 0.0, 1.0, 1.0
    lanes.moves[:, :, lane] = 0.0
    lanes.changes[:, :, lane] = 0.0


@once
def _cycle(problem, lanes):
    """Three steps of every fit, and the estimate of what is left to gain."""
    fits = lanes.fits
    w0, w1, w2 = lanes.points[0], lanes.points[1], lanes.points[2]
    w3, w4 = lanes.points[3], lanes.points[4]
    f0 = step(problem, w0, w1, lanes.mass)
    f1 = step(problem, w1, w2, lanes.mass)
    total_mass, rr, vv, ss, rises = _first_differences(problem, lanes)
    fall = _fall(f0, f1, total_mass)
    fall = where(magnitude(fall) > 0.0, fall, _fall(load(fits.objective, 0), f0, total_mass))

    rise = _quasi_newton(lanes, w3)
    newton_due = load(lanes.newton, 0) > 0.5
    _extrapolate(lanes, rr, vv, rise, newton_due)
    feasible(problem, w3)
    f3 = step(problem, w3, w4, lanes.mass)
    accept = f3 >= f1  # not where an extrapolation gone astray gives no number
    _accept(lanes, accept)

    store(fits.objective, 0, where(accept, f3, f1))
    store(lanes.newton, 0, where(accept, 1.0, where(newton_due, everywhere(0.0), 1.0)))
    store(fits.iterations, 0, load(fits.iterations, 0) + 3.0)
    store(fits.fall, 0, fall)
    gap = _left_to_gain(lanes, total_mass, rr, ss, rise, rises)
    # slow directions show late: hence a margin, and several cycles in a row
    quiet = gap < MARGIN * load(fits.tolerance, 0)
    store(lanes.quiet, 0, where(quiet, load(lanes.quiet, 0) + 1.0, 0.0))


@once
def _first_differences(problem, lanes):
    """Differences of the first three points, and of these: a secant, ``lanes.step`` and its metric.
    Returns the total mass, the squares of the first step, of the change of steps and of the second
    step, and the largest rise of a log weight.
    """
    w0, w1, w2 = lanes.points[0], lanes.points[1], lanes.points[2]
    # squares are weighed by the pseudo-counts: the information on ln theta if no state were hidden
    moves, changes = _next_secant(lanes)
    total_mass, rr, vv, ss = everywhere(0.0), everywhere(0.0), everywhere(0.0), everywhere(0.0)
    rises = everywhere(-np.inf)
    for k in range(len(problem.share)):
        x1 = load(w1, k)
        r, s = x1 - load(w0, k), load(w2, k) - x1
        v = s - r
        metric = load(problem.share, k) * load(lanes.mass, k)
        total_mass = total_mass + metric
        rr, vv, ss = fma(metric * r, r, rr), fma(metric * v, v, vv), fma(metric * s, s, ss)
        rises = where(s > rises, s, rises)
        store(lanes.metric, k, metric)
        store(lanes.step, k, s)
        store(moves, k, r)
        store(changes, k, v)
    return total_mass, rr, vv, ss, rises


@once
def _extrapolate(lanes, rr, vv, rise, newton_due):
    """The fourth point, which holds the quasi-Newton step: that where it is due, else SQUAREM's."""
    w0, w1, w3 = lanes.points[0], lanes.points[1], lanes.points[3]
    # a fixed point (r = v = 0) takes the plain step, of length 1
    length = where(vv > 0.0, square_root(rr) / square_root(vv), 1.0)
    length = where(length < 1.0, 1.0, where(length > LONGEST, LONGEST, length))
    for k in range(len(lanes.step)):
        x0, x1, s, newton = load(w0, k), load(w1, k), load(lanes.step, k), load(w3, k)
        r = x1 - x0
        newton = where(rise < 0.0, 2.0 * s - newton, newton)
        squarem = x0 + length * (2.0 * r + length * (s - r))
        store(w3, k, where(newton_due, x1 + newton, squarem))


@once
def _accept(lanes, accept):
    """Go on from the last point where it is accepted, else from the third; keep another secant."""
    w0, w1, w2 = lanes.points[0], lanes.points[1], lanes.points[2]
    w3, w4 = lanes.points[3], lanes.points[4]
    moves, changes = _next_secant(lanes)
    size = everywhere(0.0)
    for k in range(len(lanes.step)):
        x1, x2, x3, x4 = load(w1, k), load(w2, k), load(w3, k), load(w4, k)
        change = (x4 - x3) - load(lanes.step, k)
        size = size + magnitude(x3 - x1) + magnitude(change)
        store(moves, k, x3 - x1)
        store(changes, k, change)
        store(w0, k, where(accept, x4, x2))
    store(lanes.finite, 0, where(size < np.inf, 1.0, everywhere(0.0)))
    if not lanes.finite.all():
        for k in range(len(lanes.step)):
            store(moves, k, where(size < np.inf, load(moves, k), 0.0))
            store(changes, k, where(size < np.inf, load(changes, k), 0.0))


@once
def _left_to_gain(lanes, total_mass, rr, ss, rise, rises):
    """A bound on what is left to gain, in nats, as far as the steps so far show.

    Near an optimum, steps along mode i shrink by rho_i and the gap is half the sum of
    r_i^2 / (1 - rho_i): with the largest rate seen in the last two cycles for every rho_i this
    bounds it. The quasi-Newton step knows of slower modes.
    """
    now = square_root(ss) / square_root(where(rr > TINY, rr, TINY))
    before = load(lanes.rate, 0)
    slowest = where(now > before, now, before)
    slower = 1.0 - where(slowest < 1.0, slowest, 1.0)
    gap = ss / where(slower > NARROWEST, slower, NARROWEST)
    gap = 0.5 * where(gap > magnitude(rise), gap, magnitude(rise))
    gap = where(ss > total_mass * STEP_ROUNDING**2, gap, 0.0)
    store(lanes.rate, 0, now)
    # a weight that rises has something to gain, however little depends on it so far
    return where(rises > RISING, np.inf, gap)


@compiled
def _fall(before, after, mass):
    """The fall of an objective in nats: 0 if it is rounding, nan where ``after`` is not finite."""
    rounding = PART_OF_OBJECTIVE * magnitude(after) + PART_OF_MASS * mass + FLOOR
    fall = where(before - after > rounding, before - after, 0.0)
    return where(magnitude(after) < np.inf, fall, np.nan)


@compiled
def _next_secant(lanes):
    """Where a pair of differences goes: in place of the oldest."""
    lanes.newest[0] = (lanes.newest[0] + 1) % SECANTS
    return lanes.moves[lanes.newest[0]], lanes.changes[lanes.newest[0]]


@compiled
def _quasi_newton(lanes, newton):
    """The step to where ``lanes.step`` would vanish if the map were linear along the moves, into
    ``newton``. Returns the gradient times the step: twice the gain left if the map is linear.
    """
    _solve(lanes)
    newton[:] = lanes.step
    for i in range(0, SECANTS, 2):
        a, b = _aged(lanes, i), _aged(lanes, i + 1)
        moves_a, changes_a, share_a = lanes.moves[a], lanes.changes[a], load(lanes.shares, i)
        moves_b, changes_b, share_b = lanes.moves[b], lanes.changes[b], load(lanes.shares, i + 1)
        for k in range(len(newton)):
            along = share_a * (load(moves_a, k) + load(changes_a, k))
            along = fma(share_b, load(moves_b, k) + load(changes_b, k), along)
            store(newton, k, load(newton, k) - along)
    rise = everywhere(0.0)
    for k in range(len(newton)):
        rise = fma(load(lanes.metric, k) * load(lanes.step, k), load(newton, k), rise)
    return rise


@compiled
def _aged(lanes, i):
    """The place of a secant, i = 0 the oldest."""
    return (lanes.newest[0] + 1 + i) % SECANTS


@compiled
def _products(metric, a, b, c, d):
    """ac, ad, bc, bd by the metric, at once, as reading takes longer than multiplying."""
    ac, ad, bc, bd = everywhere(0.0), everywhere(0.0), everywhere(0.0), everywhere(0.0)
    for k in range(len(metric)):
        m, x, y = load(metric, k), load(c, k), load(d, k)
        ma, mb = m * load(a, k), m * load(b, k)
        ac, ad, bc, bd = fma(ma, x, ac), fma(ma, y, ad), fma(mb, x, bc), fma(mb, y, bd)
    return ac, ad, bc, bd


@compiled
def _solve(lanes):
    """Shares of the changes that make up ``lanes.step``: by least squares and Cholesky."""
    gram, scale, shares = lanes.gram, lanes.scale, lanes.shares
    for i in range(0, SECANTS, 2):
        a, b = lanes.changes[_aged(lanes, i)], lanes.changes[_aged(lanes, i + 1)]
        for j in range(0, i + 1, 2):
            c, d = lanes.changes[_aged(lanes, j)], lanes.changes[_aged(lanes, j + 1)]
            ac, ad, bc, bd = _products(lanes.metric, a, b, c, d)
            store(gram[i], j, ac)
            store(gram[i], j + 1, ad)
            store(gram[i + 1], j, bc)
            store(gram[i + 1], j + 1, bd)
        first, second, _, _ = _products(lanes.metric, lanes.step, lanes.step, a, b)
        store(shares, i, first)
        store(shares, i + 1, second)
    for i in range(SECANTS):
        norm = square_root(load(gram[i], i))
        # a change of weights that no case has anything to do with underflows here: it says nothing
        store(scale, i, where(norm > SHORTEST, 1.0 / norm, 0.0))
    for i in range(SECANTS):
        x = load(shares, i) * load(scale, i)
        for j in range(i + 1):
            entry = load(gram[i], j) * (load(scale, i) * load(scale, j))
            if i == j:
                entry = everywhere(1.0 + RIDGE)
            for k in range(j):
                entry = fma(0.0 - load(gram[i], k), load(gram[j], k), entry)
            if i == j:
                entry = 1.0 / square_root(entry)  # the diagonal holds inverses
            else:
                entry = entry * load(gram[j], j)
                x = fma(0.0 - entry, load(shares, j), x)
            store(gram[i], j, entry)
        store(shares, i, x * load(gram[i], i))
    for i in range(SECANTS - 1, -1, -1):
        x = load(shares, i)
        for j in range(i + 1, SECANTS):
            x = fma(0.0 - load(gram[j], i), load(shares, j), x)
        store(shares, i, x * load(gram[i], i))
    for i in range(SECANTS):
        store(shares, i, load(shares, i) * load(scale, i))


@compiled
def steps(problem, log_weights, after, mass):
    """One step of an algorithm for each item 0 to C - 1 of ``problem``, from ``log_weights`` (C,
    rows): next log weights into ``after``, the pseudo-counts behind them into ``mass``, both (C,
    rows). Returns the objectives (C,) at ``log_weights``, before the step, in nats.
    """
    n, rows = log_weights.shape
    objective = np.empty(n)
    value, points = np.empty(LANES), vectors(3, rows)
    for first in range(0, n, LANES):
        n_items = min(LANES, n - first)
        for lane in range(LANES):  # spare lanes repeat the last item
            item = first + min(lane, n_items - 1)
            begin(problem, lane, item)
            points[0, :, lane] = log_weights[item]
        ready(problem)
        store(value, 0, step(problem, points[0], points[1], points[2]))
        for lane in range(n_items):
            objective[first + lane] = value[lane]
            after[first + lane], mass[first + lane] = points[1, :, lane], points[2, :, lane]
    return objective
