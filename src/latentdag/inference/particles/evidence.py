"""The reference evidence: unbiased estimates with their errors, as exact as is asked for."""

from typing import NamedTuple

import numpy as np

from latentdag.data.counts import check_codes
from latentdag.engine.log_mean import log_mean_exp
from latentdag.engine.streams import generator
from latentdag.inference.enough import enough_particles
from latentdag.inference.particles.model import Model
from latentdag.inference.particles.run import log_estimates
from latentdag.inference.particles.schedule import order
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

    A run's estimate of the evidence is unbiased, and so is the mean over a number of runs that is
    fixed in advance. Its ln is a stochastic lower bound, P(estimate > ln evidence + t) <= exp(-t)
    by Markov's inequality, too low by about half its variance on average. Most sizes have one
    round, and what the pilot decides is independent of that; going on where the error is too large
    makes little difference (tests/statistical/test_reference_target.py).

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
    mean, error = log_mean_exp(by_run)
    if most_runs > runs and not pilot and error > target:
        needed = enough(particles, by_run)
        most_runs = most_runs * particles // needed
        if most_runs >= runs:
            particles = needed
            by_run = estimates("reference", particles, 0, runs)
            mean, error = log_mean_exp(by_run)
    while most_runs > runs and pilot and enough(particles, by_run) > WRONG * particles:
        particles = enough(particles, by_run)
        by_run = estimates("reference", particles, 0, runs)
        mean, error = log_mean_exp(by_run)
    while error > target and len(by_run) < most_runs:
        stop = min(len(by_run) + runs, most_runs)
        by_run = np.append(by_run, estimates("reference", particles, len(by_run), stop))
        mean, error = log_mean_exp(by_run)
    return LogEvidence(mean, error, by_run, particles)


def check_effort(particles: int, runs: int) -> None:
    """Raise ValueError unless there are enough particles and runs for an error to be estimated."""
    if particles < 2 or runs < 2:
        raise ValueError(f"at least 2 particles and 2 runs are needed, got {particles} and {runs}")
