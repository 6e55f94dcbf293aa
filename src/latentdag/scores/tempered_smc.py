"""The evidence by tempered sequential Monte Carlo: a second way, to hold the reference against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from latentdag import inference
from latentdag.engine.log_mean import log_mean_exp
from latentdag.inference import tempered
from latentdag.model.structures import Structure
from latentdag.scores import base
from latentdag.scores.base import Estimates, Job, Score, Setting, Settings, Side, Spec, Task

EVENLY_SPACED = 5  # structures, evenly spaced, that are held against the reference
MOST_PARTICLES = 8  # times ``particles``, at most, where a target is missed
STREAM = "bridge"  # purpose of the random streams: the score's first name, so that numbers stay
MANY = 5120  # cases from which on the densest are, too


def some(everyone: Sequence[Structure], true: Structure | None, n: int) -> list[Structure]:
    """The structures, of ``everyone`` in order of their parameters, for which a study holds
    tempered SMC and the reference against each other at ``n`` cases, chosen by their links and
    parameters alone.

    The ``true`` one, if there is one; of those with links the first, and as many evenly spaced as
    `EVENLY_SPACED` says, the last one among them. The first has one link: the posterior of a hidden
    variable with one child is a ridge, where tempered SMC is least exact. The reference is that for
    many links and cases: from `MANY` on also those with all links but one. At 10240 cases of draw 0
    the estimates of its runs spread by 3.7 nats with all eight links, 2.4 with seven and 0.9 with
    three (standard error times the root of the number of runs).
    """
    linked = [s for s in everyone if s.n_links]
    spaced = {
        linked[len(linked) * k // EVENLY_SPACED - 1] for k in range(1, EVENLY_SPACED + 1) if linked
    }
    most = max((s.n_links for s in linked), default=0)
    dense = {s for s in linked if s.n_links >= most - 1} if n >= MANY else set()
    return [s for s in everyone if s == true or s in {*linked[:1]} | spaced | dense]


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, np.ndarray]:
    """ln of each run's estimate of the evidence, (runs,), in nats, of each structure of ``task``,
    by label; (0,) where its hidden states have too many relabellings. ``settings`` has
    ``particles`` and ``runs``, ``estimates`` are not read. Raises ValueError for an alpha below
    SMALLEST_ALPHA of `tempered.estimates`.
    """
    by_label = {}
    for kernel, structures in task.kernels:
        for item, s in enumerate(structures):
            model = tempered.TemperedModel(kernel, item, s.without_childless(), task.prior)
            possible = model.n_relabellings() <= tempered.estimates.MOST_RELABELLINGS
            runs = log_estimates(task, model, s, **settings) if possible else np.empty(0)
            by_label[s.label] = runs
            if task.report:
                task.report(1)
    return by_label


def log_estimates(
    task: Task, model: tempered.TemperedModel, s: Structure, particles: int, runs: int
) -> np.ndarray:
    """ln of each run's estimate of the evidence of structure ``s``, (runs,), in nats; ``particles``
    are those of a run, ``model`` is that of the structure. In a study with a `Reach`, if the runs
    miss its target and the structure can matter by them, they only say how many particles are
    needed, at most MOST_PARTICLES times as many, and runs with these take their place. Raises
    ValueError for an alpha below SMALLEST_ALPHA of `tempered.estimates`.
    """
    stream, reach = partial(task.stream, STREAM, s), task.reach
    by_run = tempered.estimates.log_estimates(model, particles, runs, stream)
    value, error = log_mean_exp(by_run)
    if reach is None or error <= reach.target or not reach.may_matter(value, error):
        return by_run
    spread = by_run.var(ddof=1)
    needed = inference.particles.evidence.enough_particles(particles, spread, runs, reach.target)
    number = min(needed, MOST_PARTICLES * particles)
    return tempered.estimates.log_estimates(model, number, runs, partial(stream, number))


def read(task: Task, by_label: Mapping[str, np.ndarray]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: ln of the mean of its runs' estimates of the
    evidence, with its standard error, both in nats; nan, with a reason, for a structure without
    runs, as its hidden states and exchangeable hidden variables have too many relabellings.
    ``by_label`` is what `run` gives.
    """
    for s in task.structures:
        by_run = by_label[s.label]
        if len(by_run):
            estimate, error = log_mean_exp(by_run)
            yield Score(s, estimate, error, restarts=len(by_run))
        else:
            yield Score(s, np.nan, reason="too many relabellings of hidden variables and states")


JOB = Job(
    name="tempered_smc",
    run=run,
    meaning="evidence by tempered SMC",
    settings=(
        Setting(
            "particles",
            "tempered_smc.particles",
            128,
            "particles of a run, in whole blocks of 16; pilots and runs from the prior have half "
            "as many",
            minimum=2,
        ),
        Setting(
            "runs",
            "tempered_smc.runs",
            8,
            "independent runs, whose spread gives the standard error",
            minimum=2,
        ),
    ),
    sizes_key="tempered_smc_sizes",
    some=some,
    most_variables=base.MOST_SAMPLED,
    reach_by=(base.REACH, "reference"),
)

TEMPERED_SMC = Spec(
    name="tempered_smc",
    label="tempered SMC",
    title="Tempered SMC",
    definition=(
        "ln of the mean estimate of the evidence by tempered sequential Monte Carlo with "
        "Hamiltonian moves, from a wide mixture around the modes to the posterior"
    ),
    source="Del Moral, Doucet & Jasra 2006, J. R. Stat. Soc. B 68, 411-436; Neal 2011",
    job=JOB,
    read=read,
    side=Side.EVIDENCE,
    monte_carlo=True,
    place=85,
)
