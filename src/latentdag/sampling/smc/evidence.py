"""The reference evidence: unbiased estimates for many sizes of nested data, with their errors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from latentdag.counts import check_cases
from latentdag.model import Prior
from latentdag.sampling.smc.model import Model
from latentdag.sampling.smc.run import log_estimates
from latentdag.sampling.smc.schedule import GRID, order
from latentdag.stats import log_mean_exp
from latentdag.streams import generator
from latentdag.structures import Structure


class LogEvidence(NamedTuple):
    """Estimates of ln evidence in nats, one for each size."""

    log_evidence: np.ndarray  # (sizes,)
    standard_error: np.ndarray  # (sizes,): the jackknife's over the runs
    by_run: np.ndarray  # (runs, sizes): ln of each run's estimate


def log_evidence_path(
    cases,
    structure: Structure,
    sizes: Sequence[int],
    prior: Prior,
    particles: int,
    runs: int,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """ln evidence of the first n of the ``cases`` (n_cases, J) for every n in ``sizes``, from the
    same runs.

    ``particles`` is their number up to FULL cases; later it is smaller (`schedule.lanes`). Each
    run's estimate of the evidence is unbiased at every n, and so is their mean, whose ln is
    returned. It is low by half its variance on average: a stochastic lower bound, with P(estimate >
    ln evidence + t) <= exp(-t) by Markov's inequality. The standard error rests on ``runs`` - 1
    degrees of freedom.

    The estimate at n uses the first n cases alone. It depends on the ``sizes`` up to n, since the
    order in which the cases are added follows from them; not on their order or on larger ones. Run
    r draws from the stream ("reference", *key, label, r).

    Raises ValueError for cases, sizes, particles or runs that are not valid, FloatingPointError as
    `log_estimates` does.
    """
    cases = check_cases(cases, structure.family)
    sizes = _check_sizes(sizes, len(cases))
    check_effort(particles, runs)
    model = Model(structure, cases[order(cases, np.unique(sizes))], prior)
    if model.n_states == 1:
        by_run = np.broadcast_to(model.log_unlinked[sizes - 1], (runs, len(sizes)))
    else:
        streams = (generator(seed, "reference", *key, structure.label, run) for run in range(runs))
        by_run = np.array([log_estimates(model, sizes, particles, rng) for rng in streams])
    return LogEvidence(*log_mean_exp(by_run), by_run)


def log_evidence_in_groups(
    cases,
    structure: Structure,
    sizes: Sequence[int],
    prior: Prior,
    particles: int,
    runs: int,
    alone_from: int,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """As `log_evidence_path`, but the value at a size does not depend on the other sizes.

    Sizes of GRID below ``alone_from`` are read off one path over GRID, which goes as far as it
    must. Every other size has runs of its own, which cost as much as a path up to that size. Those
    of at least ``alone_from`` have a quarter of the particles: a size alone may take its cases in
    the order that suits it best, which at several thousand cases is worth more than the particles.

    Values stand in the order of ``sizes``. Streams: as in `log_evidence_path`, with "to n" at the
    end of the key, n the size of runs of its own and the last of GRID for the path.
    """
    cases = check_cases(cases, structure.family)
    sizes = _check_sizes(sizes, len(cases)).tolist()
    together = {n for n in sizes if n in GRID and n < alone_from}
    path = [n for n in GRID if n <= max(together, default=0)]
    groups = [(path, GRID[-1], particles)] if path else []
    for n in sorted(set(sizes) - together):
        groups.append(([n], n, particles if n < alone_from else max(2, particles // 4)))
    estimates = {}
    for group, end, count in groups:
        found = log_evidence_path(
            cases, structure, group, prior, count, runs, seed, (*key, f"to {end}")
        )
        estimates.update(zip(group, found.by_run.T, strict=True))
    by_run = np.column_stack([estimates[n] for n in sizes])
    return LogEvidence(*log_mean_exp(by_run), by_run)


def check_effort(particles: int, runs: int) -> None:
    """Raise ValueError unless there are enough particles and runs for an error to be estimated."""
    if particles < 2 or runs < 2:
        raise ValueError(f"at least 2 particles and 2 runs are needed, got {particles} and {runs}")


def _check_sizes(sizes, n_cases: int) -> np.ndarray:
    raw = np.asarray(sizes)
    if raw.ndim != 1 or len(raw) == 0 or raw.dtype.kind not in "iu":
        raise ValueError(f"sizes must be a non-empty sequence of integers, got {sizes!r}")
    if raw.min() < 1 or raw.max() > n_cases:
        raise ValueError(
            f"sizes must lie from 1 to the number of cases, {n_cases}; got {raw.min()} to"
            f" {raw.max()}"
        )
    return raw.astype(np.int64)
