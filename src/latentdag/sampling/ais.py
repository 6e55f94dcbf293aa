"""Annealed importance sampling as the paper runs it (Neal 2001, Stat. Comput. 11, 125-139; Beal &
Ghahramani 2003, sec. 4.1).

A chain starts at a draw from the prior and moves along p(theta) p(y given theta)^tau from tau = 0
to 1, with one Metropolis update of all parameters jointly at each temperature. The expectation of
its weight is the evidence, for every schedule and every proposal that are fixed before the chain is
run: hence the pilot chains, with random streams of their own.

The file `walk` has the compiled chains; this one tunes them, draws their starts and takes them from
the prior to the posterior.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from latentdag.kernel.slots import Kernel
from latentdag.model import Prior, draw_log_gamma

if TYPE_CHECKING:
    from latentdag.sampling.walk import Target, Walk

BINS = 16  # parts of a run for which acceptance is reported
PILOT_CHAINS = 16
PILOT_STEPS = 1024
AT_ONCE = 1024  # steps in one compiled call, between two reports
PILOT_POWER = 3  # pilot schedule: tau = (t / T)^3
TARGET_ACCEPTANCE = 0.25
ADAPTATION_RATE = 0.2
SMOOTHING = 5  # pilot blocks averaged for a step size
WINDOW = 0.1  # in ln tau, on both sides of a temperature that is watched
SMALLEST_ALPHA = 0.1  # 16384 steps on 8 cases: 1 nat too low at 0.1, 8 at 0.05, 20 at 0.02


@dataclass(frozen=True)
class Tuning:
    """Frozen schedule and proposal of one structure and data set.

    ``progress`` (from 0 to 1) against ``temperatures`` is the schedule; ``log_steps`` belong to
    ``temperatures[1:]``.
    """

    temperatures: np.ndarray
    progress: np.ndarray
    log_steps: np.ndarray

    def schedule(self, t: np.ndarray, steps: int) -> np.ndarray:
        """Inverse temperatures of steps ``t`` (from 1) of a run of ``steps``; that of the last step
        is exactly 1.
        """
        return np.interp(t / steps, self.progress, self.temperatures)

    def log_step(self, temperatures: np.ndarray) -> np.ndarray:
        """Ln step sizes of the proposal at ``temperatures``."""
        return np.interp(temperatures, self.temperatures[1:], self.log_steps)


@dataclass(frozen=True)
class Chains:
    """Results of C chains of ``steps`` temperatures, in nats."""

    log_weights: np.ndarray  # (C,): ln importance weights
    acceptance: np.ndarray  # (C, B): share of updates that moved, in each part of the run
    temperatures: np.ndarray  # (B,): their means in each part
    watched: np.ndarray  # (C,): mean ln p(y given theta) about the temperature watched; else nan
    steps: int


def tune(kernel: Kernel, item: int, prior: Prior, streams: Sequence[np.random.Generator]) -> Tuning:
    """Tune schedule and step sizes of the kernel's structure ``item`` on pilot chains.

    ``streams`` holds PILOT_CHAINS generators, used for nothing else. Step sizes follow the
    acceptance rate through the run (Robbins & Monro). The schedule has constant thermodynamic
    speed: Var[ln p(y given theta)] at tau is the slope of its mean in tau, and each step takes an
    equal share of the integral of its square root (Gelman & Meng 1998, Stat. Sci. 13, 163-185).
    """
    from latentdag.sampling import walk  # numba takes a second to import

    goal = target(kernel, item, prior)
    (chains,) = _begin(kernel, item, prior, goal, streams, None)
    temperatures = (np.arange(1, PILOT_STEPS + 1) / PILOT_STEPS) ** PILOT_POWER
    # the best step for a Gaussian target of that dimension
    log_step = float(np.log(2.4 / np.sqrt(len(goal.alpha))))
    log_steps, mean_log_likelihood = walk.run_pilot(
        goal, chains, temperatures, log_step, ADAPTATION_RATE, TARGET_ACCEPTANCE
    )
    return _freeze(temperatures[walk.BLOCK - 1 :: walk.BLOCK], log_steps, mean_log_likelihood)


def _freeze(
    temperatures: np.ndarray, log_steps: np.ndarray, mean_log_likelihood: np.ndarray
) -> Tuning:
    half = SMOOTHING // 2
    smooth = np.convolve(
        np.pad(log_steps, half, mode="edge"), np.full(SMOOTHING, 1 / SMOOTHING), mode="valid"
    )
    temperatures = np.append(0.0, temperatures)
    rise = np.diff(np.maximum.accumulate(mean_log_likelihood), prepend=np.nan)
    rise[0] = rise[1]  # the first block has no predecessor
    rise = np.maximum(
        rise, 0.01 * max(rise.mean(), np.finfo(float).tiny)
    )  # noise must not skip a stretch
    length = np.append(0.0, np.cumsum(np.sqrt(rise * np.diff(temperatures))))
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
    watch: float | None = None,
) -> Chains:
    """Run a chain of ``steps`` temperatures for each of ``streams``, all of the kernel's structure
    ``item``.

    ``start``, slots (C, H, F) of theta, replaces the draws from the prior; the weights then no
    longer estimate the evidence without bias. ``report`` is called with the share of the work done
    since its last call; the shares add up to 1. ``watch`` is a temperature tau, from 0 to 1: of
    the steps whose ln tau lies within WINDOW of its own the chains keep the mean of ln p(y given
    theta). It changes nothing else. Raises ValueError where it is not a temperature, or for an
    alpha below SMALLEST_ALPHA.
    """
    from latentdag.sampling import walk  # numba takes a second to import

    if watch is not None and not 0 < watch <= 1:
        raise ValueError(f"watch must be a temperature above 0 and at most 1, got {watch}")
    temperatures = tuning.schedule(np.arange(1, steps + 1), steps)
    log_steps = tuning.log_step(temperatures[:: walk.BLOCK])
    before = np.append(0.0, temperatures[:-1])
    bins = min(BINS, steps)
    part = np.arange(steps) * bins // steps
    near = np.zeros(steps, dtype=bool)
    if watch is not None:
        near = np.abs(np.log(temperatures / watch)) <= WINDOW

    goal = target(kernel, item, prior)
    found = []
    for chains in _begin(kernel, item, prior, goal, streams, start):
        accepted, watched = (np.zeros((n, walk.LANES)) for n in (bins, 1))
        for first in range(0, steps, AT_ONCE):
            now = slice(first, first + AT_ONCE)
            of_blocks = log_steps[first // walk.BLOCK :]
            walk.run(
                *(goal, chains, temperatures[now], before[first], of_blocks),
                *(part[now], accepted, near[now], watched),
            )
            if report:
                report(len(temperatures[now]) / steps / -(-len(streams) // walk.LANES))
        found.append((chains.log_weight[0], accepted.T, watched[0]))
    log_weights, accepted, watched = (
        np.concatenate(parts)[: len(streams)] for parts in zip(*found, strict=True)
    )
    sizes = np.bincount(part)
    means = np.bincount(part, temperatures) / sizes
    return Chains(
        log_weights=log_weights,
        acceptance=accepted / sizes,
        temperatures=means,
        watched=watched / near.sum() if near.any() else np.full(len(streams), np.nan),
        steps=steps,
    )


def target(kernel: Kernel, item: int, prior: Prior) -> "Target":
    """What the chains of the kernel's structure ``item`` need to know of it."""
    from latentdag.sampling.walk import Target  # numba takes a second to import

    alpha = kernel.untied(item, kernel.prior_slots(prior))
    return Target(
        cells=kernel.cells_of(item),
        rows=np.append(kernel.row_starts(item), len(alpha)),
        alpha=alpha,
        expected=kernel.untied(item, kernel.margins) / kernel.table_rows(item),
    )


def _begin(
    kernel: Kernel,
    item: int,
    prior: Prior,
    goal: "Target",
    streams: Sequence[np.random.Generator],
    start: np.ndarray | None,
) -> Iterator["Walk"]:
    """Chains at draws from the prior, or at ``start``, slots (C, H, F): LANES at a time, the last
    ones filled up with copies.
    """
    from latentdag.sampling import walk  # numba takes a second to import

    if goal.alpha.min() < SMALLEST_ALPHA:
        raise ValueError(
            f"ais needs alpha and alpha_hidden of at least {SMALLEST_ALPHA}, got {prior.alpha} "
            f"and {prior.alpha_hidden}: below, its chains hardly mix, and its estimates lie "
            "many nats too low"
        )
    if start is None:
        x = np.array([draw_log_gamma(goal.alpha, g) - np.log(goal.alpha) for g in streams])
    else:
        # any scale of g gives the same theta; this one is typical of the prior
        slots = np.log(start) + np.log(kernel.n_values)
        x = np.array([kernel.untie(item, chain) for chain in slots])
    states = np.array([g.integers(2**64, size=4, dtype=np.uint64) for g in streams])
    for first in range(0, len(streams), walk.LANES):
        lanes = np.resize(np.arange(first, min(first + walk.LANES, len(streams))), walk.LANES)
        chains = walk.begin(goal, *(np.ascontiguousarray(a[lanes].T) for a in (x, states)))
        if not np.isfinite(chains.log_likelihood).all():
            raise FloatingPointError(
                "ais: an observed cell has probability 0 in double precision at a draw from the "
                "prior: alpha is too small for so many variables"
            )
        yield chains
