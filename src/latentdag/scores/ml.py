"""The likelihood at its maximum, by EM from many starts.

For many structures it lies on a ridge or a boundary, with hundreds of local optima: reported, with
``restarts_at_best``, and not promised to be the global one.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from latentdag.inference.em.em import EM
from latentdag.inference.em.fixed_point import GAIN_TOLERANCE
from latentdag.inference.em.restarts import Best, Restarts, search
from latentdag.scores.base import Job, Score, Side, Spec, Task
from latentdag.scores.map import how_it_went, restart_settings


def run(
    task: Task, settings: Mapping[str, int], estimates: Mapping[str, Mapping[str, np.ndarray]]
) -> dict[str, Best]:
    """The best maximum likelihood fit of each structure, by label.

    One start is ``map``'s estimate, which leads to the best optimum more often than any other and
    in half the steps; so no likelihood is below that at ``map``. Restarts begin where those of
    ``map`` do. Optima lie close together on ridges: all restarts go on to the end.
    """
    found = {}
    for kernel, structures in task.kernels:
        start = task.start(kernel, structures)
        first = [estimates["map"][s.label][:1] for s in structures]
        rule = Restarts(**settings)
        best = search(
            kernel, EM(None), start, rule, first=first, report=task.report, enough=GAIN_TOLERANCE
        )
        found |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return found


def read(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """ln p(y given theta_hat): the objective of the fit."""
    for s in task.structures:
        yield Score(s, float(found[s.label].objective), **how_it_went(found[s.label]))


JOB = Job(
    name="ml",
    run=run,
    meaning="EM to the maximum likelihood",
    settings=restart_settings("ml", restarts=32, hits=2),
    needs=("map",),
)

ML = Spec(
    name="ml",
    label="ML",
    title="Maximum likelihood",
    definition="ln p(y given theta) at the best maximum of the likelihood that EM finds",
    source="the MAP estimate at alpha = 1 in the simplex basis, thesis sec. 2.2.3",
    job=JOB,
    read=read,
    side=Side.FIT,
    posterior=False,
    place=20,
)
