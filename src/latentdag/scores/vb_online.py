"""The variational Bayesian bound of one pass over the cases, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np

from latentdag import inference
from latentdag.data.counts import MAX_CASES, cell_counts
from latentdag.inference import em
from latentdag.scores.base import Estimates, Job, Score, Setting, Settings, Side, Spec, Task
from latentdag.scores.many_starts import MAX_ITERATIONS


class Pass:
    """One pass over the cases of S structures: the sum of the bounds so far in nats, the steps
    taken and whether all fits have converged, (S,) each, and the posterior so far.

    ``same_as`` (S,) is the number of the first pass that this one agrees with: its own, or that of
    an earlier pass, which then goes on for both.
    """

    def __init__(self, number: int, prior: np.ndarray, log_weights: np.ndarray):
        self.number = number
        self.posterior = np.broadcast_to(prior, log_weights.shape)  # Dirichlet parameters
        self._log_weights = log_weights  # (S, H, F)
        self.objective = np.zeros(len(log_weights))
        self.iterations = np.zeros(len(log_weights), dtype=int)
        self.converged = np.ones(len(log_weights), dtype=bool)
        self.same_as = np.full(len(log_weights), number)

    @property
    def goes_on(self) -> np.ndarray:
        return self.same_as == self.number

    def take(self, kernel: inference.Kernel, max_iterations: int) -> None:
        """Go on to the cases behind ``kernel``, with q(theta) so far as prior and as start (thesis
        eq. 2.114 to 2.117).
        """
        items = np.flatnonzero(self.goes_on)
        if not len(items):
            return
        fits = em.fixed_point.maximise(
            kernel, em.VBEM(self.posterior), items, self._log_weights[items], max_iterations
        )
        self.iterations[items] += fits.iterations
        self.converged[items] &= fits.converged
        u, log_weights = np.array(self.posterior), self._log_weights.copy()
        for part in kernel.parts(np.arange(len(items))):
            own = items[part]
            batch = kernel.batch(own)
            value, u[own], sums = em.vbem.bound(batch, fits.log_weights[part], self.posterior[own])
            self.objective[own] += value
            log_weights[own] = em.vbem.expected_log(batch, u[own], sums)
        self.posterior, self._log_weights = u, log_weights

    def join(self, other: Pass) -> None:
        """End where ``other``, an earlier pass, has the same bound so far: the posteriors are then
        the same but for the names of hidden states, and so is what follows.
        """
        same = np.abs(self.objective - other.objective) < em.fixed_point.GAIN_TOLERANCE
        same &= self.converged & other.converged & self.goes_on & other.goes_on
        self.same_as[same] = other.number


@dataclass(frozen=True)
class Passes:
    """The passes over the cases of one structure, one entry each: the sum of the bounds in nats,
    the Dirichlet parameters of q(theta) in the end, the steps of all batches, and whether all have
    converged.
    """

    objective: np.ndarray
    posterior: np.ndarray  # (passes, H, F)
    iterations: np.ndarray
    converged: np.ndarray


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, Passes]:
    """All passes of each structure, by label: each from one of the random starts of ``map``.

    Of passes that come to agree only the first goes on, and stands for all of them.
    """
    family, size = task.structures[0].family, settings["batch"]
    everyone = task.one_by_one()
    batches = [everyone[first : first + size] for first in range(0, task.n, size)]
    found = {}
    for whole, structures in task.kernels:
        ((_, reduced),) = inference.slots.hidden_families(structures)
        start, prior = task.start(whole, structures), whole.prior_slots(task.prior)
        passes = [
            Pass(r, prior, np.array([start(s, r) for s in range(len(structures))]))
            for r in range(settings["restarts"])
        ]
        for cases in batches:  # one table of counts at a time: it may be large
            kernel = inference.Kernel(reduced, cell_counts(cases, family))
            for each in passes:
                each.take(kernel, settings["max_iterations"])
                if task.report:
                    task.report(len(structures) / len(batches) / len(passes))
            for earlier, later in combinations(passes, 2):
                later.join(earlier)
        for i, s in enumerate(structures):
            ends: list[Pass] = []  # of each pass the one that went on to the end
            for p in passes:
                ends.append(p if p.goes_on[i] else ends[p.same_as[i]])
            columns = ([getattr(p, f.name)[i] for p in ends] for f in fields(Passes))
            found[s.label] = Passes(*map(np.array, columns))
    return found


def read(task: Task, found: Mapping[str, Passes]) -> Iterator[Score]:
    """The best pass: the largest sum over batches of the bound F.

    The sum is the ordinary bound at the product of the batches' q(s), each batch's being fixed
    before the next is seen. So it is a lower bound of the evidence.
    """
    for s in task.structures:
        passes = found[s.label]
        best = int(np.argmax(passes.objective))
        yield Score(
            s,
            float(passes.objective[best]),
            iterations=int(passes.iterations[best]),
            converged=bool(passes.converged[best]),
            restarts=len(passes.objective),
            restarts_at_best=int(
                np.sum(passes.objective >= passes.objective[best] - em.restarts.SAME_OPTIMUM)
            ),
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
    order_free=False,
    closed_form=True,
    place=34,
)
