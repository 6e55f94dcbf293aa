"""How long a method takes for one structure, from what it takes with small effort.

`LAWS` has the stages of a prediction by method: functions ``stage(task, settings, clock)`` that
give seconds for the first of the task's structures, where ``clock`` gives the time. The last stage
of a method is its prediction; those before it cost less, and give what the method takes at least.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ceil, expm1, log, prod

import lazy_loader as lazy
import numpy as np

from latentdag.data.counts import Counts
from latentdag.scores import SPECS
from latentdag.scores.base import Task
from latentdag.scores.reference import target_at

evidence = lazy.load("latentdag.inference.particles.evidence", suppress_warning=True)
restarts = lazy.load("latentdag.inference.em.restarts", suppress_warning=True)
simd = lazy.load("latentdag.engine.simd", suppress_warning=True)

FEW_COMPLETIONS = 2**16  # of the states of a variable's parents: so many are timed
FEW_CASES = 160  # with which the reference is timed
FEW_RUNS = 2
BLOCKS = (2, 8)  # of particles, with which the bridge is timed
LONG_ENOUGH = 0.1  # seconds: what takes so long is timed well

Clock = Callable[[], float]


def few_cases(task: Task, n: int) -> Task:
    """The same for at most ``n`` of its cases, evenly spaced in the order of their values."""
    if n >= task.n:
        return task
    kept = np.diff(np.cumsum(task.counts.numbers) * n // task.n, prepend=0)
    return replace(task, cases=Counts.of(task.counts.patterns, kept))


def timed(clock: Clock, function: Callable, *arguments) -> tuple[float, object]:
    """Seconds that a call takes, and what it gives."""
    began = clock()
    found = function(*arguments)
    return clock() - began, found


def _first(task: Task) -> Task:
    """The same for the first structure alone."""
    return replace(task, structures=task.structures[:1])


def enumeration(task: Task, settings: Mapping, clock: Clock) -> float:
    """Linear in the completions of the cases; timed with few cases. Structures share tables."""
    s = task.structures[0]
    states = max(prod(s.family.hidden[i] for i in parents) for parents in s.parents)
    few = few_cases(task, 1 + int(log(FEW_COMPLETIONS, states)) if states > 1 else task.n)
    spent, _ = timed(clock, SPECS["exact"].job.run, few, settings, {})
    return spent / len(task.structures) * float(states) ** (task.n - few.n)


class Effort:
    """What the reference does with ``n`` cases, by its settings."""

    def __init__(self, settings: Mapping, n: int):
        self.settings = settings
        self.target = target_at(n, settings["target"])
        self.has_pilot = settings["most_runs"] > settings["runs"]
        self.particles = settings["particles"]  # with which it begins
        if self.has_pilot:
            self.particles = max(self.particles, self.particles * evidence.FULL // n)
        self.pilot_runs = max(2, settings["runs"] // 2) if self.has_pilot else 0

    def fewest_runs(self) -> int:
        """Runs with as many particles as in the pilot."""
        return self.pilot_runs + self.settings["runs"]

    def likely_runs(self, by_run: np.ndarray) -> float:
        """The work of all runs, in runs with as many particles as in the pilot, where those gave
        the ln estimates ``by_run``.
        """
        if not self.has_pilot:
            return self.settings["runs"]
        variance = float(by_run.var(ddof=1))
        runs, most = self.settings["runs"], evidence.MOST * self.settings["particles"]
        enough = evidence.enough_particles(self.particles, variance, runs, self.target)
        times = min(enough, most) / self.particles
        needed = expm1(min(variance / times, 100.0)) / self.target**2  # of log-normal estimates
        rounds = min(max(1, ceil(needed / runs)), ceil(self.settings["most_runs"] / runs))
        return self.pilot_runs + times * runs * rounds

    def time_of_a_run(self, task: Task, runs: int, clock: Clock) -> tuple[float, np.ndarray]:
        """Seconds of a run with the task's cases and as many particles as in the pilot, and the ln
        of the estimates of so many runs.
        """
        effort = {"particles": self.particles, "runs": runs, "most_runs": runs, "target": 1.0}
        spent, found = timed(clock, SPECS["reference"].job.run, _first(task), effort, {})
        return spent / runs, found[task.structures[0].label].by_run


def fewest_runs(task: Task, settings: Mapping, clock: Clock) -> float:
    """The pilot and one round as large as it, linear in the cases; timed with few cases."""
    effort, few = Effort(settings, task.n), few_cases(task, FEW_CASES)
    each, _ = effort.time_of_a_run(few, FEW_RUNS, clock)
    return each * task.n / few.n * effort.fewest_runs()


def likely_runs(task: Task, settings: Mapping, clock: Clock) -> float:
    """The particles and runs that a pilot's spread asks for."""
    effort = Effort(settings, task.n)
    each, by_run = effort.time_of_a_run(task, max(2, effort.pilot_runs), clock)
    return each * effort.likely_runs(by_run)


def bridges(task: Task, settings: Mapping, clock: Clock) -> float:
    """So much for each of its stages (a pilot, and three for each run) and for each block of
    particles there; pilots and runs from the prior have half as many.
    """

    def work(blocks: float, runs: int) -> tuple[float, float]:
        half = ceil(blocks / 2)
        return 1 + 3 * runs, half + runs * (2 * half + blocks)

    rows, spent = [], []
    for blocks in BLOCKS:
        effort = {"particles": blocks * simd.LANES, "runs": FEW_RUNS}
        seconds, _ = timed(clock, SPECS["bridge"].job.run, _first(task), effort, {})
        rows.append(work(blocks, FEW_RUNS))
        spent.append(seconds)
    each = np.maximum(np.linalg.solve(rows, spent), 0.0)
    return float(work(ceil(settings["particles"] / simd.LANES), settings["runs"]) @ each)


def fits(method: str) -> Callable[[Task, Mapping, Clock], float]:
    """The law of a score that is read off a fit from many starts: rounds of restarts, until the
    best optimum was reached often enough. One round is timed, of more and more structures at a
    time until it takes long enough.
    """
    spec = SPECS[method]

    def law(task: Task, settings: Mapping, clock: Clock) -> float:
        tried = min(restarts.ROUND, settings["restarts"])
        one_round = dict(settings) | {"restarts": tried, "hits": tried}
        n = 1
        while True:
            some = replace(task, structures=task.structures[:n])
            fitting, found = timed(clock, spec.job.run, some, one_round, {})
            if fitting >= LONG_ENOUGH or n >= len(task.structures):
                break
            n *= 2
        reading, _ = timed(clock, lambda: list(spec.read(some, found)))
        at_best = [min(fit.restarts_at_best, tried) for fit in found.values()]
        most = ceil(settings["restarts"] / tried)
        rounds = np.minimum(np.ceil(settings["hits"] / np.array(at_best)), most)
        return (fitting * rounds.mean() + reading) / len(some.structures)

    return law


LAWS: Mapping[str, tuple[Callable[[Task, Mapping, Clock], float], ...]] = {
    "exact": (enumeration,),
    "reference": (fewest_runs, likely_runs),
    "bridge": (bridges,),
    "laplace": (fits("laplace"),),
    "bic": (fits("bic"),),
}
