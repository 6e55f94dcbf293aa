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

    A run starts with ``particles`` and goes on with fewer after FULL cases (`schedule.lanes`). Its
    estimate of the evidence is unbiased at every n. So is the mean over the runs, whose ln is
    returned: a stochastic lower bound, P(estimate > ln evidence + t) <= exp(-t) by Markov's
    inequality, too low by about half its variance on average. The standard error has ``runs`` - 1
    degrees of freedom.

    The estimate at n uses the first n cases alone, added in an order that follows from the
    ``sizes`` up to n. Larger sizes, and the order of ``sizes``, change nothing; beyond the last of
    GRID they may change the rounding (`model._float_type`). Run r draws from the stream
    ("reference", *key, label, r).

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
    must: its streams' key ends in "to N", N the last of GRID. Every other size has runs of its own,
    `log_evidence_alone`, which cost as much as a path up to that size.

    Values stand in the order of ``sizes``.
    """
    cases = check_cases(cases, structure.family)
    sizes = _check_sizes(sizes, len(cases)).tolist()
    on_path = {n for n in sizes if n in GRID and n < alone_from}
    estimates = {}
    if on_path:
        path = [n for n in GRID if n <= max(on_path)]
        path_key = (*key, f"to {GRID[-1]}")
        found = log_evidence_path(cases, structure, path, prior, particles, runs, seed, path_key)
        estimates.update(zip(path, found.by_run.T, strict=True))
    for n in set(sizes) - on_path:
        found = log_evidence_alone(
            cases[:n], structure, prior, particles, runs, alone_from, seed, key
        )
        estimates[n] = found.by_run[:, 0]
    by_run = np.column_stack([estimates[n] for n in sizes])
    return LogEvidence(*log_mean_exp(by_run), by_run)


def log_evidence_alone(
    cases,
    structure: Structure,
    prior: Prior,
    particles: int,
    runs: int,
    alone_from: int,
    seed: int = 0,
    key: tuple = (),
) -> LogEvidence:
    """ln evidence of all ``cases`` (n, J), in arrays of shape (1,) and (runs, 1), from runs of
    their own.

    No bit of it depends on the order of the cases: they are added in the order that suits them all.
    From ``alone_from`` cases on a quarter of the particles does, since that order is worth more
    than particles to several thousand cases. Streams, errors: as for `log_evidence_path`, with
    "to n" at the end of the key.
    """
    cases = check_cases(cases, structure.family)
    n = len(cases)
    if n >= alone_from:
        particles = max(2, particles // 4)
    return log_evidence_path(cases, structure, [n], prior, particles, runs, seed, (*key, f"to {n}"))


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
