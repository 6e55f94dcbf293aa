"""The reference evidence, as exact as is asked for, and a stochastic upper bound on it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latentdag.data.counts import check_codes
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.streams import generator
from latentdag.inference.enough import enough_particles
from latentdag.inference.particles.model import Model
from latentdag.inference.particles.particles import (
    Particles,
    log_estimates,
    order,
    rejuvenation_times,
)
from latentdag.model.parameters import Prior
from latentdag.model.structures import Structure

WRONG = 4  # times as many particles as a run has: where they are needed the pilot was wrong
MOST = 256  # times ``particles``, at most
FULL = 640  # cases below which the pilot has more particles, at the same cost


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
    """ln evidence of the ``cases`` (n, J): ln of the mean of the estimates of independent runs.

    With ``most_runs`` above ``runs`` a pilot comes first: half as many runs with ``particles``
    each, and more below FULL cases, in inverse proportion. Their spread says how many particles the
    others need (`enough_particles`); they are not used further. Then come runs in rounds of
    ``runs``, until the standard error is at most ``target``, in nats, or there are ``most_runs``.
    Where the first round shows that WRONG times as many particles are needed, and they are fewer
    than MOST times ``particles``, it is another pilot. With ``most_runs`` at most ``runs`` there is
    one round of runs with ``particles`` each.

    Without a ``pilot`` that round comes first, and is kept where it meets the target. Where it does
    not, its spread says how many particles the others need. They are added if all runs together
    then have no more particles than ``most_runs`` with ``particles`` each.

    The mean over a number of runs that is fixed in advance is unbiased. Its ln is a stochastic
    lower bound, P(estimate > ln evidence + t) <= exp(-t) by Markov's inequality, too low by about
    half its variance on average. That most sizes have one round, and others go on, makes little
    difference (tests/statistical/test_reference_target.py).

    No bit of the result depends on the order of the cases. Run r draws from the stream
    ("reference", *key, label, n, its particles, r), the pilot's from ("reference pilot", ...).

    Raises ValueError for cases, particles or runs that are not valid, FloatingPointError as
    `log_estimates` does.
    """
    cases = check_codes(cases, structure.family)
    check_effort(particles, runs)
    model = Model(structure, cases[order(cases)], prior)
    if model.n_states == 1:
        by_run = np.full(runs, model.log_unlinked[-1])
        return LogEvidence(*log_mean_exp(by_run), by_run, particles)

    def estimates(purpose: str, particles: int, first: int, stop: int) -> np.ndarray:
        which = (*key, structure.label, len(cases), particles)
        rngs = [generator(seed, purpose, *which, run) for run in range(first, stop)]
        return log_estimates(model, particles, rngs)

    def enough(particles: int, by_run: np.ndarray) -> int:
        return min(enough_particles(particles, by_run.var(ddof=1), runs, target), most)

    most = MOST * particles
    if most_runs > runs and pilot:
        first = max(particles, particles * FULL // len(cases))
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
    """Stochastic upper bound on ln evidence of the ``cases`` (n, J), given one exact posterior draw
    of their hidden ``states`` (n, H), such as those simulated with the cases from the prior.

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
    cases = check_codes(cases, structure.family)
    check_effort(particles, runs)
    states = _check_states(states, structure, len(cases))
    added = order(cases)
    model = Model(structure, cases[added], prior)
    if model.n_states == 1:
        by_run = np.full(runs, model.log_unlinked[-1])
    else:
        which = (*key, structure.label, len(cases))
        rngs = [generator(seed, "reference upper", *which, run) for run in range(runs)]
        path = trajectories(model, model.encode(states[added]), rngs)
        by_run = log_estimates(model, particles, rngs, path)
    log_mean_reciprocal, standard_error = log_mean_exp(-by_run)
    return LogEvidence(-log_mean_reciprocal, standard_error, by_run, particles)


def trajectories(
    model: Model, codes: np.ndarray, rngs: Sequence[np.random.Generator]
) -> list[np.ndarray]:
    """Codes, (runs, cases), for lane 0 of each run to retain: before the first rejuvenation, after
    it, ..., after the last, where they are ``codes`` (n,). They are drawn backwards: of a posterior
    draw for some cases the first are one for these alone, and the reverse sweep undoes a sweep.
    """
    path = [np.tile(codes, (len(rngs), 1))]
    for n in reversed(rejuvenation_times(len(codes))):
        one_each = Particles(model, 1, rngs)
        one_each.add(n, path[-1])
        one_each.sweep(backwards=True)
        path.append(one_each.states[:, 0].astype(np.int64))
    return path[::-1]


def check_effort(particles: int, runs: int) -> None:
    """Raise ValueError unless there are enough particles and runs for an error to be estimated."""
    if particles < 2 or runs < 2:
        raise ValueError(f"at least 2 particles and 2 runs are needed, got {particles} and {runs}")


def _check_states(states, structure: Structure, n: int) -> np.ndarray:
    states, hidden = np.asarray(states), np.array(structure.family.hidden)
    is_right = states.shape == (n, len(hidden)) and states.dtype.kind in "iu"
    if not is_right or ((states < 0) | (states >= hidden)).any():
        raise ValueError(
            f"states must be integers of shape ({n}, {len(hidden)}), each below its cardinality of "
            f"{hidden.tolist()}, got {states}"
        )
    return states
