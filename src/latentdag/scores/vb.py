"""The variational Bayesian bound, by VBEM from many starts."""

from collections.abc import Iterator, Mapping

import numpy as np

from latentdag.inference.em.restarts import Best, Restarts, search
from latentdag.inference.em.vbem import VBEM
from latentdag.scores.base import Job, Look, Score, Side, Spec, Task
from latentdag.scores.map import how_it_went, optima, restart_settings


def run(
    task: Task, settings: Mapping[str, int], estimates: Mapping[str, Mapping[str, np.ndarray]]
) -> dict[str, Best]:
    """The best variational fit of each structure, by label.

    Restarts are sparse: the best bound often leaves hidden states without cases, which saves the
    cost of their parameters, and starts from the prior seldom lead there. One more begins at
    ``map``'s estimate, which leaves no state without cases.
    """
    found = {}
    for kernel, structures in task.kernels:
        vbem = VBEM(kernel.prior_slots(task.prior))
        start = task.start(kernel, structures, sparse=True)
        first = [estimates["map"][s.label][:1] for s in structures]
        rule = Restarts(**settings)
        best = search(kernel, vbem, start, rule, first=first, report=task.report)
        found |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return found


def read(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """F, the objective of the fit."""
    for s in task.structures:
        yield Score(s, float(found[s.label].objective), **how_it_went(found[s.label]))


JOB = Job(
    name="vb",
    run=run,
    meaning="variational Bayesian EM",
    settings=restart_settings("vb", restarts=128, hits=16),
    needs=("map",),
    estimates=optima,
)

VB = Spec(
    name="vb",
    label="VB",
    title="VB",
    definition="the bound F over q(s1, s2) q(theta), maximised by VBEM",
    source="paper eq. 5 to 7; thesis thm 2.1 and 2.2",
    job=JOB,
    read=read,
    side=Side.LOWER_BOUND,
    closed_form=True,
    figures=("scores", "rank", "tightness", "annealing"),
    look=Look("#1f5fa8", "s", "-", 3.5),
    place=30,
)
