"""The choice of a method: the most trusted one that the time allows.

`LADDER` lists the methods from the most trusted on. The evidence itself comes first: by
enumeration, by the reference, by bridge sampling. Laplace's approximation follows, as it is nearer
to the evidence than the other cheap and well-known scores; then BIC, which takes no linear algebra
after the same fit. VB is excluded, as its bound lies farther below the evidence the more links
there are, and AIS, as its chains are too short for many cases.

The time of a method for all structures is predicted (`latentdag.command.cost_model`) from those
with the fewest, the median and the most parameters, by interpolation in the number of parameters.
The choice may depend on the clock; the scores of a chosen method do not.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

import numpy as np

from latentdag.command.cost_model import LAWS, few_cases
from latentdag.data.counts import count_cases
from latentdag.engine.checks import integer, number
from latentdag.engine.parallel import START, available, check_cores
from latentdag.model.parameters import Prior
from latentdag.model.structures import Family, Structure, check_states
from latentdag.scores import SPECS, check_settings, settings_of
from latentdag.scores.base import Task
from latentdag.search.beam import neighbours
from latentdag.search.ranking import causes_of
from latentdag.search.structure_prior import number_of_structures

WITHIN = 60.0  # seconds
LADDER = tuple(LAWS)
TOGETHER = 16  # structures that stand for one number of parameters
# a search of this width scores about as many neighbourhoods as there are pairs of a cause and a
# variable: read off the searches that the README tells of
SEARCHED = 6


@dataclass(frozen=True)
class Predicted:
    """The likely time of a method for all structures in seconds, or a lower bound of it, or the
    reason why the method cannot be used.
    """

    method: str
    seconds: float
    at_least: bool = False
    why_not: str = ""

    def __str__(self) -> str:
        return f"{'at least' if self.at_least else 'about'} {duration(self.seconds)}"


@dataclass(frozen=True)
class Choice:
    """The method chosen, and the more trusted ones that were not, the most trusted first."""

    chosen: Predicted
    better: tuple[Predicted, ...]

    @property
    def method(self) -> str:
        return self.chosen.method


def duration(seconds: float) -> str:
    """A time as text, in the largest unit of which it has two or more."""
    for unit, name in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{max(seconds, 1):.0f} s"


def choose(
    cases,
    structures: Sequence[Structure],
    *,
    within: float = WITHIN,
    cores: int | None = 1,
    n_scored: int | None = None,
    alpha: float = Prior.alpha,
    alpha_hidden: float | None = None,
    seed: int = 0,
    clock: Callable[[], float] = time.perf_counter,
    **settings: float | None,
) -> Choice:
    """The most trusted method of `LADDER` that is likely to score the ``structures`` on ``cases``
    (n, J) ``within`` so many seconds; where there is none, the last.

    The structures may be of several families with the same observed variables. ``n_scored`` says
    how many like these will be scored, where that is not their number. ``clock`` gives seconds.
    Other arguments are those of `score_structures`. Raises ValueError as that does, and unless
    ``within`` is above 0.
    """
    if not number("within", within) > 0:
        raise ValueError(f"within must be above 0 seconds, got {within}")
    check_settings(settings)
    for causes in set(map(causes_of, structures)):
        check_states(causes)
    given = {method: settings_of(SPECS[method].job, settings) for method in LADDER}
    seed = integer("seed", seed, 0)
    counts = count_cases(cases, structures[0].family)
    task = Task(structures, counts, Prior(alpha, alpha_hidden), seed)
    n_scored = n_scored or len(structures)
    workers = min(check_cores(cores) or available(), n_scored)

    def all_of(work: float) -> float:
        """Seconds for all structures to be scored, given the ``work`` in seconds for these."""
        total = work * n_scored / len(structures)
        return total if workers == 1 or total <= START else START + total / workers

    passed = []
    for method in LADDER:
        predicted = _predicted(method, task, given[method], within, all_of, clock)
        if not predicted.why_not and predicted.seconds <= within:
            return Choice(predicted, tuple(passed))
        passed.append(predicted)
    return Choice(predicted, tuple(passed[:-1]))


def likely_scored(family: Family, width: int) -> tuple[list[Structure], int]:
    """Structures like those that a search (`latentdag.search`) scores, the neighbours of the one
    with a cause of all, and about how many it scores, so far as that can be known before.
    """
    width = integer("width", width, 1)
    everyone = len(family.observed)
    common = Structure(((0,) if family.hidden else (),) * everyone, family)
    near = list({s.canonical() for s in (common, *neighbours(common))})
    likely = everyone * len(family.hidden) * len(near) * width // SEARCHED + 1
    return near, min(likely, number_of_structures([family]))


def _predicted(method: str, task: Task, settings, within: float, all_of, clock) -> Predicted:
    """The time of a method, or a lower bound as soon as that exceeds ``within``."""
    stages, job = LAWS[method], SPECS[method].job
    n_parameters = np.array([s.n_parameters for s in task.structures])
    samples = list(_samples(task))
    known: dict[int, float] = {}  # seconds of a structure, by its number of parameters
    try:
        for own in samples:
            job.check_task(own)
        stages[0](few_cases(samples[-1], 8), settings, clock)  # loads what is compiled
        for own, stage in product(samples, stages):
            known[own.structures[0].n_parameters] = stage(own, settings, clock)
            every = np.interp(n_parameters, *zip(*sorted(known.items()), strict=True))
            seconds = all_of(float(every.sum()))
            is_last = own is samples[-1] and stage is stages[-1]
            if seconds > within and not is_last:
                return Predicted(method, seconds, at_least=True)
    except (ValueError, FloatingPointError) as error:
        return Predicted(method, inf, why_not=str(error))
    return Predicted(method, seconds)


def _samples(task: Task) -> Iterator[Task]:
    """The structures with the fewest, the median and the most parameters, each the first of some of
    its family that are like it.
    """
    ordered = sorted(task.structures, key=lambda s: s.n_parameters)
    for i in sorted({0, len(ordered) // 2, len(ordered) - 1}):
        alike = sorted(range(len(ordered)), key=lambda k, i=i: abs(k - i))
        same = [ordered[k] for k in alike if ordered[k].family == ordered[i].family]
        yield replace(task, structures=same[:TOGETHER])
