"""Annealed importance sampling as the paper runs it (Neal 2001, Stat. Comput. 11, 125-139; Beal &
Ghahramani 2003, sec. 4.1).

A chain starts at a draw from the prior and moves along p(theta) p(y given theta)^tau from tau = 0
to 1, with one Metropolis update at each temperature: of all parameters jointly, or ``by_row`` of
one row, p(s_h) or p(y_j given one configuration of its parents), the rows in turn. Either leaves
p(theta) p(y given theta)^tau invariant. The expectation of the weight is the evidence, for every
schedule and every proposal that are fixed before the chain is run: hence the pilot chains, with
random streams of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from latentdag.engine.simd import LANES
from latentdag.inference.ais import walk
from latentdag.inference.ais.walk import Target, Walk
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior, draw_log_gamma

BINS = 16  # parts of a run for which acceptance is reported
PILOT_CHAINS = 16
PILOT_STEPS = 1024
STEPS_PER_CALL = 1024  # steps in one compiled call, between two reports
PILOT_POWER = 3  # pilot schedule: tau = (t / T)^3
TARGET_ACCEPTANCE = 0.25
ADAPTATION_RATE = 0.2
SMOOTHING = 5  # pilot blocks averaged for a step size
SMALLEST_ALPHA = 0.1  # 16384 steps on 8 cases: 1 nat too low at 0.1, 8 at 0.05, 20 at 0.02


@dataclass(frozen=True)
class Tuning:
    """Frozen schedule and proposal of one structure and data set."""

    temperatures: np.ndarray
    progress: np.ndarray  # from 0 to 1, at each of the temperatures: the schedule
    log_steps: np.ndarray  # (temperatures - 1, M): of each move, at ``temperatures[1:]``

    def schedule(self, t: np.ndarray, steps: int) -> np.ndarray:
        """Inverse temperatures of the steps ``t``, an array of numbers from 1, of a run of
        ``steps`` steps; that of the last is exactly 1.
        """
        return np.interp(t / steps, self.progress, self.temperatures)

    def log_step(self, temperatures: np.ndarray) -> np.ndarray:
        """ln step sizes (T, M) of the M moves at each of the inverse ``temperatures`` (T,)."""
        at = self.temperatures[1:]
        return np.column_stack([np.interp(temperatures, at, column) for column in self.log_steps.T])

    @property
    def by_row(self) -> bool:
        """Whether each row of the tables moves by itself, not all parameters together."""
        return self.log_steps.shape[1] > 1


@dataclass(frozen=True)
class Chains:
    """Results of C chains of ``steps`` temperatures, in nats."""

    log_weights: np.ndarray  # (C,): ln importance weights
    acceptance: np.ndarray  # (C, B): share of updates that moved, in each part of the run
    temperatures: np.ndarray  # (B,): their means in each part
    steps: int


def tune(
    kernel: Kernel,
    item: int,
    prior: Prior,
    streams: Sequence[np.random.Generator],
    by_row: bool = False,
) -> Tuning:
    """The `Tuning`, schedule and step sizes, of the kernel's structure ``item`` by pilot chains.

    ``streams`` holds PILOT_CHAINS generators, used for nothing else. Step sizes, of one move of all
    parameters or ``by_row`` of one for each row, follow the acceptance rate through the run
    (Robbins & Monro). The schedule has constant thermodynamic speed: Var[ln p(y given theta)] at
    tau is the slope of its mean in tau, and each step takes an equal share of the integral of its
    square root (Gelman & Meng 1998, Stat. Sci. 13, 163-185). Raises ValueError for an alpha below
    SMALLEST_ALPHA, FloatingPointError where a cell has probability 0 at a draw from the prior.
    """
    goal = target([kernel], item, prior, by_row)
    chains = _begin(goal, *_draws(kernel, item, prior, streams))
    temperatures = (np.arange(1, PILOT_STEPS + 1) / PILOT_STEPS) ** PILOT_POWER
    # the best step for a Gaussian target of that dimension
    log_step = np.log(2.4 / np.sqrt(np.diff(goal.moves)))
    blocks, rates = PILOT_STEPS // walk.BLOCK, (ADAPTATION_RATE, TARGET_ACCEPTANCE)
    log_steps, mean_log_likelihood = np.zeros((blocks, log_step.size)), np.zeros(blocks)
    # it returns nothing: where Ctrl-C came meanwhile, numba fails to make arrays of what it returns
    walk.run_pilot(goal, chains, temperatures, log_step, *rates, log_steps, mean_log_likelihood)
    padded = np.pad(log_steps, ((SMOOTHING // 2, SMOOTHING // 2), (0, 0)), mode="edge")
    window = np.full(SMOOTHING, 1 / SMOOTHING)
    smooth = np.column_stack([np.convolve(column, window, mode="valid") for column in padded.T])
    temperatures = np.append(0.0, temperatures[walk.BLOCK - 1 :: walk.BLOCK])
    rise = np.diff(np.maximum.accumulate(mean_log_likelihood), prepend=np.nan)
    rise[0] = rise[1]  # the first block has no predecessor
    least = 0.01 * max(rise.mean(), np.finfo(float).tiny)  # noise must not skip a stretch
    length = np.append(0.0, np.cumsum(np.sqrt(np.maximum(rise, least) * np.diff(temperatures))))
    return Tuning(temperatures, length / length[-1], smooth)


def anneal(
    kernel: Kernel,
    item: int,
    prior: Prior,
    tuning: Tuning,
    steps: int,
    streams: Sequence[np.random.Generator],
    start: np.ndarray | None = None,
    report: Callable[[float], object] | None = None,
) -> Chains:
    """Run a chain of ``steps`` temperatures for each of ``streams``, generators, all of the
    kernel's structure ``item`` with ``tuning``, which `tune` gives. Returns their `Chains`.

    ``start``, probabilities in slots (C, H, F), replaces the draws from the prior; the weights then
    no longer estimate the evidence without bias. ``report`` is called with the share of the work
    done since its last call, 1 in all. Raises ValueError for an alpha below SMALLEST_ALPHA,
    FloatingPointError where a cell has probability 0 at the start of a chain.
    """
    goal = target([kernel], item, prior, tuning.by_row)
    drawn = [_draws(kernel, item, prior, streams, start)]
    owner = np.zeros(len(streams), dtype=int)
    (chains,) = _anneal(lambda lanes: goal, owner, drawn, [tuning], steps, report)
    return chains


def anneal_each(
    kernels: Sequence[Kernel],
    item: int,
    prior: Prior,
    tunings: Sequence[Tuning],
    steps: int,
    streams: Sequence[Sequence[np.random.Generator]],
    report: Callable[[float], object] | None = None,
) -> list[Chains]:
    """Run chains of ``steps`` temperatures from the prior to the posterior for several data sets
    side by side: for the k-th, structure ``item`` of ``kernels[k]``, which all have the same
    structures, a chain for each generator of ``streams[k]``, with ``tunings[k]``. Returns a list of
    the `Chains` of each data set. ``report`` is called with the work done since its last call, as a
    number of data sets. Raises ValueError for an alpha below SMALLEST_ALPHA, FloatingPointError
    where a cell has probability 0 at the start of a chain.

    A chain's numbers do not depend on the data sets beside it, to the bit. They differ from those
    of `anneal` by rounding, as the likelihood's terms are added up in another order. For few chains
    of each data set this is the faster: LANES chains cost about twice as much as one lot of
    `anneal`, however many data sets they belong to.
    """
    # the largest data sets share lots: the last lot, which may have copies, is the cheapest
    order = np.argsort([len(kernel.counts) for kernel in kernels], kind="stable")[::-1]
    owner = np.repeat(order, [len(streams[k]) for k in order])
    drawn = [_draws(kernels[k], item, prior, streams[k]) for k in order]

    def goal_of(lanes: np.ndarray) -> Target:
        return target([kernels[k] for k in lanes], item, prior, tunings[0].by_row)

    return _anneal(goal_of, owner, drawn, tunings, steps, report)


def _anneal(
    goal_of: Callable[[np.ndarray], Target],
    owner: np.ndarray,
    drawn: Sequence[tuple[np.ndarray, np.ndarray]],
    tunings: Sequence[Tuning],
    steps: int,
    report: Callable[[float], object] | None,
) -> list[Chains]:
    """Chains from where they are ``drawn`` to the posterior; chain c has data set ``owner[c]``."""
    x, states = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    at = np.arange(1, steps + 1)
    temperatures = np.array([np.append(0.0, tuning.schedule(at, steps)) for tuning in tunings]).T
    starts = temperatures[1 :: walk.BLOCK].T
    log_steps = [tuning.log_step(t) for tuning, t in zip(tunings, starts, strict=True)]
    log_steps = np.stack(log_steps, axis=2)  # (blocks, M, data sets)
    move = (at - 1) % log_steps.shape[1]
    part = np.arange(steps) * min(BINS, steps) // steps  # of the run, from 0
    sizes = np.bincount(part)
    log_weights, moved = np.empty(len(owner)), np.empty((len(owner), len(sizes)))
    lots = np.split(np.arange(len(owner)), range(LANES, len(owner), LANES))
    for lot in lots:
        lanes = np.resize(owner[lot], LANES)
        goal, accepted = goal_of(lanes), np.zeros((len(sizes), LANES))
        chains = _begin(goal, x[lot], states[lot])
        rising, in_blocks = (np.ascontiguousarray(a[..., lanes]) for a in (temperatures, log_steps))
        for first in range(0, steps, STEPS_PER_CALL):
            end = min(first + STEPS_PER_CALL, steps)
            walk.run(
                goal,
                chains,
                rising[first : end + 1],
                in_blocks[first // walk.BLOCK :],
                move[first:end],
                part[first:end],
                accepted,
            )
            if report:
                report((end - first) / steps * len(tunings) / len(lots))
        log_weights[lot], moved[lot] = chains.log_weight[0, : len(lot)], accepted.T[: len(lot)]
    means = (np.bincount(part, schedule[1:]) / sizes for schedule in temperatures.T)
    return [
        Chains(log_weights[owner == k], moved[owner == k] / sizes, mean, steps)
        for k, mean in enumerate(means)
    ]


def target(kernels: Sequence[Kernel], item: int, prior: Prior, by_row: bool = False) -> Target:
    """The `Target` of chains of structure ``item``, with the data of ``kernels``: one kernel for
    all lanes, or LANES of them, one for each lane. A move changes all parameters, or ``by_row``
    those of one row.
    """
    kernel, alone = kernels[0], len(kernels) == 1
    alpha = kernel.untied(item, kernel.prior_slots(prior))
    expected = [k.independent_counts(item) for k in kernels]
    rows = np.append(kernel.row_starts(item), len(alpha))
    return Target(
        cells=kernel.cells_of(item) if alone else kernel.cells_of_lanes(item, kernels),
        rows=rows,
        moves=rows if by_row else rows[[0, -1]],
        alpha=alpha,
        expected=np.repeat(np.stack(expected, axis=1), LANES if alone else 1, axis=1),
    )


def _draws(
    kernel: Kernel,
    item: int,
    prior: Prior,
    streams: Sequence[np.random.Generator],
    start: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Where chains start, x (C, D), from the prior or at ``start``; the states of their streams."""
    alpha = kernel.untied(item, kernel.prior_slots(prior))
    if alpha.min() < SMALLEST_ALPHA:
        raise ValueError(
            f"ais needs alpha and alpha_hidden of at least {SMALLEST_ALPHA}, got {prior.alpha} "
            f"and {prior.alpha_hidden}: below, its chains hardly mix, and its estimates lie "
            "many nats too low"
        )
    if start is None:
        x = np.array([draw_log_gamma(alpha, g) - np.log(alpha) for g in streams])
    else:
        # any scale of g gives the same theta; this one is typical of the prior
        slots = np.log(start) + np.log(kernel.n_values)
        x = np.array([kernel.untie(item, chain) for chain in slots])
    return x, np.array([g.integers(2**64, size=4, dtype=np.uint64) for g in streams])


def _begin(goal: Target, x: np.ndarray, states: np.ndarray) -> Walk:
    """Chains at ``x`` (C, D), at most LANES, which copies fill up."""
    lanes = np.resize(np.arange(len(x)), LANES)
    chains = walk.begin(goal, *(np.ascontiguousarray(a[lanes].T) for a in (x, states)))
    if not np.isfinite(chains.log_likelihood).all():
        raise FloatingPointError(
            "ais: an observed cell has probability 0 in double precision at a draw from the "
            "prior: alpha is too small for so many variables"
        )
    return chains
