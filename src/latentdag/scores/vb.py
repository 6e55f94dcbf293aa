"""The variational Bayesian bound, by VBEM from many starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import lazy_loader as lazy
import numpy as np

from latentdag.scores import fits
from latentdag.scores.base import Job, Look, Side, Spec, Task

if TYPE_CHECKING:
    from latentdag.inference.em.fixed_point import Algorithm
    from latentdag.inference.em.restarts import Best
    from latentdag.inference.slots import Kernel

vbem = lazy.load("latentdag.inference.em.vbem", suppress_warning=True)


def run(
    task: Task, settings: Mapping[str, int], estimates: Mapping[str, Mapping[str, np.ndarray]]
) -> dict[str, Best]:
    """The best variational fit of each structure, by label.

    Restarts are sparse: the best bound often leaves hidden states without cases, which saves the
    cost of their parameters, and starts from the prior seldom lead there. One more begins at
    ``map``'s estimate, which leaves no state without cases.
    """

    def algorithm(kernel: Kernel) -> Algorithm:
        return vbem.VBEM(kernel.prior_slots(task.prior))

    return fits.best_fits(task, settings, algorithm, first=estimates["map"], sparse=True)


JOB = Job(
    name="vb",
    run=run,
    meaning="variational Bayesian EM",
    settings=fits.restart_settings("vb", restarts=128, hits=16),
    needs=("map",),
    estimates=fits.optima,
)

VB = Spec(
    name="vb",
    label="VB",
    title="VB",
    definition="the bound F over q(s1, s2) q(theta), maximised by VBEM",
    source="paper eq. 5 to 7; thesis thm 2.1 and 2.2",
    job=JOB,
    read=fits.objectives,
    side=Side.LOWER_BOUND,
    closed_form=True,
    figures=("scores", "rank", "tightness", "annealing"),
    look=Look("#1f5fa8", "s", "-", 3.5),
    place=30,
)
