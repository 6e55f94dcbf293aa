"""The reference evidence, as exact as is asked for, and a stochastic upper bound on it.

Both rest on runs of particles: hidden states of the cases so far, with their counts and weights. A
run takes the cases in an order and with rejuvenation times that are fixed in advance.
"""

import math
from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np

from latentdag.data.counts import check_codes
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.simd import WIDE, aligned_zeros
from latentdag.engine.streams import generator
from latentdag.inference.particles.loops import Lanes, mean_weight, resample, visit
from latentdag.inference.particles.model import Model
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure

GROWTH = 1.2  # ratio of successive rejuvenation times
GOLDEN = (5**0.5 - 1) / 2
RESAMPLE_BELOW = 0.5  # effective sample size, as a fraction of the particles
MEMORY = 2**26  # bytes that the particles of runs side by side may take, about
NOTHING = np.empty((0, 0), dtype=np.int64)
WRONG = 4  # times as many particles as a run has: where they are needed the pilot was wrong
MOST_PARTICLES = 256  # times ``particles``, at most
FULL = 640  # cases below which the pilot has more particles, at the same cost
SHARE = 0.75  # of the target: the standard error that the spread of first runs is to lead to


def order(cases: np.ndarray) -> np.ndarray:
    """Which of the ``cases`` (n, J) to add when: indices (n,).

    Every stretch of the order resembles the whole of the cases. They are exchangeable, and where
    their order has no trend no mode of the posterior seems dead before its time. Equal cases are
    interchangeable: the ordered cases do not depend on the order in which they come.
    """
    similar = np.lexsort(cases.T[::-1])
    place = np.arange(len(cases)) * GOLDEN % 1.0  # spreads neighbours evenly
    return similar[np.argsort(place)]


def rejuvenation_times(n: int) -> list[int]:
    """A list of the numbers of cases, below ``n``, after which to rejuvenate: 1, 2, 3, ..., then
    geometric.
    """
    times, t = [], 1
    while t < n:
        times.append(t)
        t = max(t + 1, int(t * GROWTH))
    return times


class Particles:
    """The particles of several independent runs, ``particles`` each, with the ``n`` cases so far. A
    generator of ``rngs`` for each run seeds its lanes and draws the places of its resampling.
    """

    def __init__(self, model: Model, particles: int, rngs: Sequence[np.random.Generator]):
        n_counts, n_totals = model.shape
        tiles = -(-particles // WIDE)
        n_tiles = tiles * len(rngs)
        streams = aligned_zeros((n_tiles, 4, WIDE), np.uint32)
        drawn = [rng.integers(2**32, size=(tiles, 4, WIDE), dtype=np.uint32) for rng in rngs]
        streams[:] = np.concatenate(drawn)
        self.n, self.particles = 0, particles
        self.lanes = Lanes(
            states=aligned_zeros((n_tiles, len(model.tables.rows), WIDE), model.code_type),
            counts=aligned_zeros((n_tiles, n_counts, WIDE), model.float),
            totals=aligned_zeros((n_tiles, n_totals, WIDE), model.float),
            streams=streams,
            log_weights=aligned_zeros((n_tiles, WIDE), np.float64),
            ratio=np.ones((n_tiles, WIDE)),
            factors=aligned_zeros((2 * n_totals + model.n_states, WIDE), model.float),
        )
        self._tables, self._rngs = model.tables, rngs
        self._log_mean = np.zeros(len(rngs))  # ln of the product of the mean weights, until the
        # last resampling

    @property
    def states(self) -> np.ndarray:
        """Codes (runs, particles, n) of the hidden states of the cases so far."""
        by_tile = self.lanes.states[:, : self.n].transpose(0, 2, 1)
        return by_tile.reshape(len(self._rngs), -1, self.n)[:, : self.particles]

    def add(self, n: int, retained: np.ndarray = NOTHING) -> None:
        """Add the cases up to the n-th, and draw their hidden states; lane 0 of each run takes its
        ``retained`` codes (runs, n) instead, if there are any.
        """
        visit(self._tables, self.lanes, self.n, n, 1, True, retained)
        self.n = n

    def sweep(self, retained: np.ndarray = NOTHING, backwards: bool = False) -> None:
        """Redraw the hidden states of all cases so far by a sweep of collapsed Gibbs sampling, or
        ``backwards`` by its reverse; lane 0 of each run takes its ``retained`` codes (runs, n)
        instead, if there are any.
        """
        order = range(self.n)[:: -1 if backwards else 1]
        visit(self._tables, self.lanes, order.start, order.stop, order.step, False, retained)

    def resample(self, conditional: bool) -> None:
        """Resample the runs whose effective sample size is below RESAMPLE_BELOW of their particles;
        ``conditional``: given that lane 0 keeps its particle.
        """
        uniform = np.array([rng.random() for rng in self._rngs])
        resample(
            self.lanes, self.n, self.particles, RESAMPLE_BELOW, uniform, conditional, self._log_mean
        )

    def log_ratio(self) -> np.ndarray:
        """ln of each run's estimate over the evidence of the unlinked model, (runs,), in nats."""
        of_lanes, weights = (self.lanes.log_weights, self.lanes.ratio), np.empty(self.particles)
        by_run = (a.reshape(len(self._rngs), -1)[:, : self.particles] for a in of_lanes)
        return self._log_mean + [
            mean_weight(log_weights, ratio, weights)
            for log_weights, ratio in zip(*by_run, strict=True)
        ]


def log_estimates(
    model: Model,
    particles: int,
    rngs: Sequence[np.random.Generator],
    trajectories: Sequence[np.ndarray] | None = None,
) -> np.ndarray:
    """ln of the estimate of the evidence of ``model`` by each run, one for each of ``rngs``,
    (runs,), in nats; a run has this number of ``particles``.

    With ``trajectories`` lane 0 of each run is not free: it retains the codes ``trajectories[0]``,
    (runs, cases), up to the first rejuvenation, and ``trajectories[k]`` from the k-th on. Raises
    FloatingPointError where a weight leaves the range of numbers (alpha near 0, many variables).
    """
    n, log_ratios = len(model.log_unlinked), []
    together = max(1, MEMORY // (particles * (n + 4 * sum(model.shape))))
    for part in (slice(first, first + together) for first in range(0, len(rngs), together)):
        cloud = Particles(model, particles, rngs[part])
        codes = repeat(NOTHING) if trajectories is None else (c[part] for c in trajectories)
        retained = next(codes)
        for time in rejuvenation_times(n):
            cloud.add(time, retained)
            retained = next(codes)
            cloud.resample(conditional=trajectories is not None)
            cloud.sweep(retained)
        cloud.add(n, retained)
        log_ratios.append(cloud.log_ratio())
    estimates = np.concatenate(log_ratios)
    if not np.isfinite(estimates).all():
        raise FloatingPointError(
            "an importance weight is outside the range of numbers: alpha is too small for so many"
            " variables"
        )
    return estimates + model.log_unlinked[-1]


def enough_particles(particles: int, variance: float, runs: int, target: float) -> int:
    """The number of particles, never fewer than ``particles``, that leads in ``runs`` runs to a
    standard error of SHARE times ``target``, in nats, if with ``particles`` particles ln of an
    estimate has this ``variance``; a multiple of WIDE.

    It falls as one over their number (Del Moral 2004). The mean of as many log-normal estimates has
    a relative variance of (exp(variance) - 1) / runs.
    """
    allowed = math.log1p(runs * (SHARE * target) ** 2)
    vectors = math.ceil(particles * max(variance / allowed, 1.0) / WIDE)
    return vectors * WIDE  # a vector that is not full costs as much


class LogEvidence(NamedTuple):
    """An estimate of ln evidence in nats."""

    log_evidence: float
    standard_error: float  # from the spread of the runs
    by_run: np.ndarray  # (runs,): ln of each run's estimate
    particles: int  # of each run


def log_evidence(
    cases,
    structure: Structure,
    prior: Prior,
    particles: int,
    runs: int,
    most_runs: int = 0,
    target: float = 0.1,
    seed: int = 0,
    key: tuple = (),
    pilot: bool = True,
) -> LogEvidence:
    """A `LogEvidence`, ln evidence of the ``cases``, codes (n, J), in nats: ln of the mean of the
    estimates of independent runs.

    With ``most_runs`` above ``runs`` a pilot comes first: half as many runs with ``particles``
    each, and more below FULL cases, in inverse proportion. Their spread says how many particles the
    others need (`enough_particles`); they are not used further. Then come runs in rounds of
    ``runs``, until the standard error is at most ``target``, in nats, or there are ``most_runs``.
    Where the first round shows that WRONG times as many particles are needed, and they are fewer
    than MOST_PARTICLES times ``particles``, it is another pilot. With ``most_runs`` at most
    ``runs`` there is one round of runs with ``particles`` each.

    Without a ``pilot`` that round comes first, and is kept where it meets the target. Where it does
    not, its spread says how many particles the others need. They take its place, if ``runs`` of
    them have no more particles than ``most_runs`` with ``particles`` each; else it is kept.

    The mean over a number of runs that is fixed in advance is unbiased. Its ln is a stochastic
    lower bound, P(estimate > ln evidence + t) <= exp(-t) by Markov's inequality, too low by about
    half its variance on average. That most sizes have one round, and others go on, makes little
    difference (tests/statistical/test_reference_target.py).

    No bit of the result depends on the order of the cases. Run r draws from the stream
    ("reference", *key, label, n, its particles, r), the pilot's from ("reference pilot", ...).

    Raises ValueError for cases, particles or runs that are not valid, FloatingPointError as
    `log_estimates` does.
    """
    added, model = _ordered(cases, structure, prior, particles, runs)
    if model.n_states == 1:
        by_run = np.full(runs, model.log_unlinked[-1])
        return LogEvidence(*log_mean_exp(by_run), by_run, particles)

    def estimates(purpose: str, particles: int, first: int, stop: int) -> np.ndarray:
        which = (*key, structure.label, len(added), particles)
        rngs = [generator(seed, purpose, *which, run) for run in range(first, stop)]
        return log_estimates(model, particles, rngs)

    def enough(particles: int, by_run: np.ndarray) -> int:
        return min(enough_particles(particles, by_run.var(ddof=1), runs, target), most)

    most = MOST_PARTICLES * particles
    if most_runs > runs and pilot:
        first = max(particles, particles * FULL // len(added))
        particles = enough(first, estimates("reference pilot", first, 0, max(2, runs // 2)))
    by_run = estimates("reference", particles, 0, runs)
    if most_runs > runs and not pilot and log_mean_exp(by_run)[1] > target:
        needed = enough(particles, by_run)
        most_runs = most_runs * particles // needed
        if most_runs >= runs:
            particles, by_run = needed, estimates("reference", needed, 0, runs)
    while most_runs > runs and pilot and enough(particles, by_run) > WRONG * particles:
        particles = enough(particles, by_run)
        by_run = estimates("reference", particles, 0, runs)
    while log_mean_exp(by_run)[1] > target and len(by_run) < most_runs:
        stop = min(len(by_run) + runs, most_runs)
        by_run = np.append(by_run, estimates("reference", particles, len(by_run), stop))
    return LogEvidence(*log_mean_exp(by_run), by_run, particles)


def log_evidence_upper(
    cases,
    states,
    structure: Structure,
    prior: Prior,
    particles: int,
    runs: int,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """A `LogEvidence`, a stochastic upper bound on ln evidence of the ``cases``, codes (n, J), in
    nats, by one exact posterior draw of their hidden ``states``, codes (n, H), such as those
    simulated with the cases from the prior.

    Bidirectional Monte Carlo (Grosse, Ghahramani & Adams 2015, arXiv:1511.02543) by conditional
    SMC (Andrieu, Doucet & Holenstein 2010, J. R. Stat. Soc. B 72, 269-342): in each run lane 0
    retains a trajectory that ends in ``states`` (`trajectory`), and resampling is conditional on
    it. The law of such a run, over states and random numbers, is that of a free run times estimate
    / evidence; so the mean of 1 / estimate is 1 / evidence. This needs rejuvenation times and moves
    that are fixed in advance.

    Returned: minus ln of the mean of 1 / estimate over the runs, which share the states. P(bound <
    ln evidence - t) <= exp(-t) by Markov's inequality, over states and runs together. The standard
    error is that over runs given the states. Run r draws from the stream ("reference upper", *key,
    label, n, r).

    Raises ValueError for cases, states, particles or runs that are not valid, FloatingPointError as
    `log_estimates` does.
    """
    added, model = _ordered(cases, structure, prior, particles, runs)
    states = _check_states(states, structure, len(added))
    if model.n_states == 1:
        by_run = np.full(runs, model.log_unlinked[-1])
    else:
        which = (*key, structure.label, len(added))
        rngs = [generator(seed, "reference upper", *which, run) for run in range(runs)]
        path = trajectories(model, model.encode(states[added]), rngs)
        by_run = log_estimates(model, particles, rngs, path)
    log_mean_reciprocal, standard_error = log_mean_exp(-by_run)
    return LogEvidence(-log_mean_reciprocal, standard_error, by_run, particles)


def trajectories(
    model: Model, codes: np.ndarray, rngs: Sequence[np.random.Generator]
) -> list[np.ndarray]:
    """A list of arrays of codes, (runs, cases so far), for lane 0 of each run to retain: before the
    first rejuvenation, after it, ..., after the last, where they are ``codes`` (n,). They are drawn
    backwards, by a generator of ``rngs`` for each run: of a posterior draw for some cases the first
    are one for these alone, and the reverse sweep undoes a sweep.
    """
    path = [np.tile(codes, (len(rngs), 1))]
    for n in reversed(rejuvenation_times(len(codes))):
        one_each = Particles(model, 1, rngs)
        one_each.add(n, path[-1])
        one_each.sweep(backwards=True)
        path.append(one_each.states[:, 0].astype(np.int64))
    return path[::-1]


def _ordered(
    cases, structure: Structure, prior: Prior, particles: int, runs: int
) -> tuple[np.ndarray, Model]:
    """The `order` of the ``cases``, and the model of the cases in that order. Raises ValueError for
    too few particles or runs.
    """
    cases = check_codes(cases, structure.family)
    if particles < 2 or runs < 2:
        raise ValueError(f"at least 2 particles and 2 runs are needed, got {particles} and {runs}")
    added = order(cases)
    return added, Model(structure, cases[added], prior)


def _check_states(states, structure: Structure, n: int) -> np.ndarray:
    states, hidden = np.asarray(states), np.array(structure.family.hidden)
    is_right = states.shape == (n, len(hidden)) and states.dtype.kind in "iu"
    if not is_right or ((states < 0) | (states >= hidden)).any():
        raise ValueError(
            f"states must be integers of shape ({n}, {len(hidden)}), each below its cardinality of "
            f"{hidden.tolist()}, got {states}"
        )
    return states
