"""The variational Bayesian bound of one pass over the cases, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from latentdag import inference
from latentdag.data.counts import MAX_CASES, cell_counts
from latentdag.inference import em
from latentdag.scores.base import Estimates, Job, Score, Setting, Settings, Side, Spec, Task
from latentdag.scores.many_starts import MAX_ITERATIONS


class Bounds(NamedTuple):
    """What each pass over the cases of one structure led to, (passes,) each."""

    objective: np.ndarray  # sum of the bounds in nats
    iterations: np.ndarray  # of all batches
    converged: np.ndarray  # in all batches


class Passes:
    """P passes over the cases of S structures so far, P S rows, those of the first pass first."""

    def __init__(self, prior: np.ndarray, log_weights: np.ndarray):
        self._log_weights = log_weights  # (P S, H, F)
        self.posterior = np.array(np.broadcast_to(prior, log_weights.shape))
        rows = len(log_weights)
        # the row that each pass ends in: its own, or an earlier pass's, which stands for both
        self.end = np.arange(rows)
        self.bounds = Bounds(np.zeros(rows), np.zeros(rows, int), np.ones(rows, bool))

    @property
    def goes_on(self) -> np.ndarray:
        return self.end == np.arange(len(self.end))

    def take(self, kernel: inference.Kernel, max_iterations: int) -> None:
        """Let every pass that goes on take the cases behind ``kernel``, with its q(theta) so far as
        the prior (thesis eq. 2.114 to 2.117), in at most ``max_iterations`` steps: writes the new
        q(theta) and log weights, and adds to the bounds.
        """
        rows, prior = np.flatnonzero(self.goes_on), self.posterior.copy()
        starts = self._log_weights[rows]
        fits = em.fixed_point.maximise(kernel, em.VBEM(prior), rows, starts, max_iterations)
        self.bounds.iterations[rows] += fits.iterations
        self.bounds.converged[rows] &= fits.converged
        for part in kernel.parts(np.arange(len(rows))):
            rows_of_part = rows[part]
            batch = kernel.batch(rows_of_part)
            value, u, sums = em.vbem.bound(batch, fits.log_weights[part], prior)
            self.bounds.objective[rows_of_part] += value
            self.posterior[rows_of_part] = u
            self._log_weights[rows_of_part] = em.vbem.expected_log(batch, u, sums)

    def join(self, n_passes: int) -> None:
        """Let a pass end where an earlier one, over the same structure, has the same bound so far,
        and so what follows, both converged: its ``end`` becomes the earlier one's row. ``n_passes``
        is P.
        """
        for a, b in combinations(np.arange(len(self.end)).reshape(n_passes, -1), 2):
            gap = np.abs(self.bounds.objective[b] - self.bounds.objective[a])
            ready = self.goes_on & self.bounds.converged
            same = (gap < em.fixed_point.GAIN_TOLERANCE) & ready[a] & ready[b]
            self.end[b[same]] = a[same]


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, Bounds]:
    """For each structure of ``task``, by label, the `Bounds` of all its passes over the cases, each
    from one of the random starts of ``map``. Of passes that come to agree only the first goes on,
    and stands for all of them. ``settings`` are by name, ``estimates`` are not read.
    """
    family, size, n_passes = task.structures[0].family, settings["batch"], settings["restarts"]
    everyone = task.one_by_one()
    batches = [everyone[first : first + size] for first in range(0, task.n, size)]
    by_label = {}
    for whole, structures in task.kernels:
        start, items = task.start(whole, structures), range(len(structures))
        starts = np.array([start(s, r) for r in range(n_passes) for s in items])
        passes = Passes(whole.prior_slots(task.prior), starts)
        for cases in batches:  # one table of counts at a time: it may be large
            kernel = inference.Kernel(whole.structures * n_passes, cell_counts(cases, family))
            passes.take(kernel, settings["max_iterations"])
            passes.join(n_passes)
            if task.report:
                task.report(len(structures) / len(batches))
        for row, end in enumerate(passes.end):
            passes.end[row] = passes.end[end]  # an earlier one, which may have ended in another
        for i, s in enumerate(structures):
            ends = passes.end[i :: len(structures)]
            by_label[s.label] = Bounds(*(column[ends] for column in passes.bounds))
    return by_label


def read(task: Task, by_label: Mapping[str, Bounds]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``, by its best pass in ``by_label``, the
    `Bounds` from `run`: the largest sum over batches of the bound F, in nats. It is the ordinary
    bound at the product of the batches' q(s), and so a lower bound of the evidence.
    """
    for s in task.structures:
        objective, iterations, converged = by_label[s.label]
        best = np.argmax(objective)
        at_best = objective >= objective[best] - em.fixed_point.SAME_OPTIMUM
        yield Score(
            s,
            float(objective[best]),
            iterations=int(iterations[best]),
            converged=bool(converged[best]),
            restarts=len(objective),
            restarts_at_best=int(at_best.sum()),
        )


JOB = Job(
    name="vb_online",
    run=run,
    meaning="online variational Bayesian EM",
    most_cases=MAX_CASES,
    settings=(
        Setting(
            "batch",
            "vb_online.batch",
            256,
            "cases of a batch, in the order of the data; a file of one's own is put in a random "
            "order, the same in every run",
            "left open by the thesis",
        ),
        Setting(
            "restarts",
            "vb_online.passes",
            8,
            "passes over the cases, from different starts",
            "left open by the thesis",
        ),
        MAX_ITERATIONS,
    ),
)

VB_ONLINE = Spec(
    name="vb_online",
    label="VB online",
    title="online VB",
    definition=(
        "the sum of the bounds F of batches of cases, in their order; the posterior after one "
        "batch is the prior of the next; the best of several passes"
    ),
    source="thesis eq. 2.114 to 2.117",
    job=JOB,
    read=read,
    side=Side.LOWER_BOUND,
    place=34,
)
