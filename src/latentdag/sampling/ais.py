"""Annealed importance sampling as the paper runs it (Neal 2001, Stat. Comput. 11, 125-139; Beal &
Ghahramani 2003, sec. 4.1).

A chain starts at a draw from the prior and moves along p(theta) p(y given theta)^tau from tau = 0
to 1, with one Metropolis update of all parameters jointly at each temperature. The expectation of
its weight is the evidence, for every schedule and every proposal that are fixed before the chain is
run: hence the pilot chains, with random streams of their own.

The chain moves in x = ln(g / alpha), where every row of theta is g / sum(g) and the prior of g is
Gamma(alpha, 1), independent for every parameter: p(x) is proportional to exp(alpha (x - e^x)), and
no boundary is in the way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from latentdag.kernel import Batch, Kernel
from latentdag.model import Prior, draw_log_gamma

BLOCK = 32  # steps with one proposal, and for which random numbers are drawn at once
BINS = 16  # parts of a run for which acceptance is reported
PILOT_CHAINS = 4
PILOT_STEPS = 1024
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

    def log_step(self, temperature: float) -> float:
        return float(np.interp(temperature, self.temperatures[1:], self.log_steps))


@dataclass(frozen=True)
class Chains:
    """Results of C chains: ln importance weight (C,), acceptance rate and mean temperature in each
    part of the run (C, B), and the mean of ln p(y given theta) in nats over the steps around the
    temperature that was watched (C,), nan where there are none; and the number of temperatures.
    """

    log_weights: np.ndarray
    acceptance: np.ndarray
    temperatures: np.ndarray
    watched: np.ndarray
    steps: int

    def of(self, chains: slice) -> "Chains":
        """Those of some of the chains."""
        by_chain = (self.log_weights, self.acceptance, self.temperatures, self.watched)
        return Chains(*(values[chains] for values in by_chain), self.steps)


def tune(
    kernel: Kernel,
    items: np.ndarray,
    prior: Prior,
    streams: Sequence[Sequence[np.random.Generator]],
) -> list[Tuning]:
    """Tune schedule and step sizes of the kernel's structures ``items`` on pilot chains.

    ``streams[i]`` holds PILOT_CHAINS generators, used for nothing else. Step sizes follow the
    acceptance rate through the run (Robbins & Monro). The schedule has constant thermodynamic
    speed: Var[ln p(y given theta)] at tau is the slope of its mean in tau, and each step takes an
    equal share of the integral of its square root (Gelman & Meng 1998, Stat. Sci. 13, 163-185).
    """
    per_batch = max(1, kernel.batch_size // PILOT_CHAINS)
    parts = [slice(a, a + per_batch) for a in range(0, len(items), per_batch)]
    return [
        tuning
        for part in parts
        for tuning in _tune_batch(kernel, items[part], prior, streams[part])
    ]


def _tune_batch(kernel, items, prior, streams) -> list[Tuning]:
    chains = _Walk(
        kernel.batch(np.repeat(items, PILOT_CHAINS)),
        prior,
        [g for structure in streams for g in structure],
    )
    log_step = np.log(
        2.4 / np.sqrt(kernel.n_coordinates[items])
    )  # the best for a Gaussian target of that dimension
    blocks = PILOT_STEPS // BLOCK
    log_steps, log_likelihoods = np.zeros((2, blocks, len(items)))
    schedule = (np.arange(1, PILOT_STEPS + 1) / PILOT_STEPS).reshape(blocks, BLOCK) ** PILOT_POWER
    for k, temperatures in enumerate(schedule):
        chains.begin_block(temperatures[:1], log_step.repeat(PILOT_CHAINS), BLOCK)
        for b, temperature in enumerate(temperatures):
            accepted = chains.step(b, temperature)
            log_step += ADAPTATION_RATE * (
                accepted.reshape(-1, PILOT_CHAINS).mean(axis=1) - TARGET_ACCEPTANCE
            )
            chains.rescale(log_step.repeat(PILOT_CHAINS))
            log_likelihoods[k] += (
                chains.log_likelihood.reshape(-1, PILOT_CHAINS).mean(axis=1) / BLOCK
            )
        log_steps[k] = log_step
    return [
        _freeze(schedule[:, -1], *columns)
        for columns in zip(log_steps.T, log_likelihoods.T, strict=True)
    ]


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
    items: np.ndarray,
    prior: Prior,
    tunings: Sequence[Tuning],
    steps: int,
    streams: Sequence[np.random.Generator],
    start: np.ndarray | None = None,
    report: Callable[[float], object] | None = None,
    watch: float | None = None,
) -> Chains:
    """Run one chain of ``steps`` temperatures for each of ``items`` (indices of the kernel's
    structures), tuned by ``tunings``.

    ``start``, slots (C, H, F) of theta, replaces the draws from the prior; the weights then no
    longer estimate the evidence without bias. ``report`` is called with the share of the work done
    since its last call; the shares add up to 1. ``watch`` is a temperature tau, from 0 to 1: of
    the steps whose ln tau lies within WINDOW of its own the chains keep the mean of ln p(y given
    theta). It changes nothing else. Raises ValueError where it is not a temperature.
    """
    if watch is not None and not 0 < watch <= 1:
        raise ValueError(f"watch must be a temperature above 0 and at most 1, got {watch}")
    share = (
        None if report is None else lambda chain_steps: report(chain_steps / (len(items) * steps))
    )
    parts = [
        _anneal_batch(
            _Walk(
                kernel.batch(items[part]),
                prior,
                [streams[c] for c in part],
                None if start is None else start[part],
            ),
            [tunings[c] for c in part],
            steps,
            share,
            watch,
        )
        for part in kernel.parts(np.arange(len(items)))
    ]
    return Chains(*(np.concatenate(columns) for columns in zip(*parts, strict=True)), steps)


def _anneal_batch(
    chains: "_Walk", tunings: Sequence[Tuning], steps: int, report, watch: float | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    bins = min(BINS, steps)
    part = np.arange(steps) * bins // steps
    acceptance, temperatures = np.zeros((2, len(tunings), bins))
    watched, n_watched = np.zeros((2, len(tunings)))
    unique = {id(tuning): tuning for tuning in tunings}  # chains of one structure share a schedule
    for first in range(0, steps, BLOCK):
        t = np.arange(first + 1, min(first + BLOCK, steps) + 1)
        each = {key: tuning.schedule(t, steps) for key, tuning in unique.items()}
        schedule = np.array([each[id(tuning)] for tuning in tunings]).T
        log_step = np.array(
            [tuning.log_step(tau) for tuning, tau in zip(tunings, schedule[0], strict=True)]
        )
        chains.begin_block(schedule[0], log_step, len(t))
        near = np.zeros_like(schedule, dtype=bool)
        if watch is not None:
            near = np.abs(np.log(schedule / watch)) <= WINDOW
        for b, temperature in enumerate(schedule):
            acceptance[:, part[first + b]] += chains.step(b, temperature)
            temperatures[:, part[first + b]] += temperature
            if near[b].any():
                watched += np.where(near[b], chains.log_likelihood, 0)
                n_watched += near[b]
        if report:
            report(len(tunings) * len(t))
    sizes = np.bincount(part)
    watched = np.divide(watched, n_watched, out=np.full_like(watched, np.nan), where=n_watched > 0)
    return chains.log_weight, acceptance / sizes, temperatures / sizes, watched


class _Walk:
    """State of C chains, and one step of all of them."""

    def __init__(
        self,
        batch: Batch,
        prior: Prior,
        streams: Sequence[np.random.Generator],
        start: np.ndarray | None = None,
    ):
        self.batch, self.streams = batch, streams
        self.alpha = batch.kernel.prior_slots(prior)
        if self.alpha.min() < SMALLEST_ALPHA:
            raise ValueError(
                f"ais needs alpha and alpha_hidden of at least {SMALLEST_ALPHA}, got {prior.alpha} "
                f"and {prior.alpha_hidden}: below, its chains hardly mix, and its estimates lie "
                "many nats too low"
            )
        self.log_weight = np.zeros(len(streams))
        self._temperature = np.zeros(len(streams))
        self._expected = batch.kernel.margins / batch.table_rows()
        if start is None:
            k = batch.kernel
            start = np.array(
                [
                    k.expand(i, draw_log_gamma(k.untied(i, self.alpha), g))
                    for i, g in zip(batch.items, streams, strict=True)
                ]
            )
            start -= np.log(self.alpha)
        else:
            # any scale of g gives the same theta; this one is typical of the prior
            start = np.log(start) + np.log(batch.kernel.n_values)
        self._x = start
        self.log_likelihood, self._log_prior = self._evaluate(start)
        if not np.isfinite(self.log_likelihood).all():
            raise FloatingPointError(
                "ais: an observed cell has probability 0 in double precision at a draw from the "
                "prior: alpha is too small for so many variables"
            )
        self._sizes = batch.kernel.n_coordinates[batch.items]
        self._normals = np.zeros((BLOCK, len(streams), self._sizes.max()))
        self._thresholds = np.empty((BLOCK, len(streams)))

    def _evaluate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ln p(y given theta) and the prior's ln density of x, up to a constant, (C,) each."""
        g = np.exp(x)
        log_prior = self.batch.total(self.alpha * (x - g))
        g /= self.batch.spread(self.batch.row_sums(g))
        return self.batch.log_likelihood(g), log_prior

    def begin_block(self, temperature: np.ndarray, log_step: np.ndarray, size: int) -> None:
        """Draw the random numbers of ``size`` steps and shape the proposal: x is known to about
        (alpha + tau n_x)^-1/2.

        n_x is the count that its table would give it if observed and hidden variables were
        independent: it does not depend on the chain, and is the same for all names of the hidden
        states.
        """
        for c, rng in enumerate(self.streams):
            self._normals[:size, c, : self._sizes[c]] = rng.standard_normal((size, self._sizes[c]))
            self._thresholds[:size, c] = -rng.standard_exponential(size)
        self._shape = 1 / np.sqrt(self.alpha + temperature[:, None, None] * self._expected)
        self.rescale(log_step)

    def rescale(self, log_step: np.ndarray) -> None:
        self._scale = self._shape * np.exp(log_step)[:, None, None]

    def step(self, b: int, temperature: np.ndarray) -> np.ndarray:
        """Weight the chains for the move to ``temperature`` and update them there; which of them
        moved, (C,).
        """
        self.log_weight += (temperature - self._temperature) * self.log_likelihood
        self._temperature = temperature
        proposal = self.batch.expand(self._normals[b])
        proposal *= self._scale
        proposal += self._x
        log_likelihood, log_prior = self._evaluate(proposal)
        with np.errstate(
            invalid="ignore"
        ):  # from one impossible point to another: not a number, not accepted
            log_ratio = (
                log_prior - self._log_prior + temperature * (log_likelihood - self.log_likelihood)
            )
        accepted = self._thresholds[b] < log_ratio
        np.copyto(self._x, proposal, where=accepted[:, None, None])
        np.copyto(self.log_likelihood, log_likelihood, where=accepted)
        np.copyto(self._log_prior, log_prior, where=accepted)
        return accepted
