"""The likelihood at its maximum, by EM from many starts.

For many structures it lies on a ridge or a boundary, with hundreds of local optima: reported, with
``restarts_at_best``, and not promised to be the global one.
"""

from __future__ import annotations

from latentdag.inference import em
from latentdag.scores import many_starts
from latentdag.scores.base import Estimates, Job, Settings, Side, Spec, Task


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, em.Best]:
    """The best maximum likelihood fit, a `Best`, of each structure of ``task``, by label;
    ``settings`` are by name, ``estimates`` has those of ``map`` by label.

    One start is ``map``'s estimate, which leads to the best optimum more often than any other and
    in half the steps; so no likelihood is below that at ``map``. Restarts begin where those of
    ``map`` do. Optima lie close together on ridges: all restarts go on to the end.
    """
    first = {label: optima[:1] for label, optima in estimates["map"].items()}
    how = {"first": first, "enough": em.fixed_point.GAIN_TOLERANCE}
    return many_starts.best_fits(task, settings, lambda alpha: em.EM(None), **how)


JOB = Job(
    name="ml",
    run=run,
    meaning="EM to the maximum likelihood",
    settings=many_starts.restart_settings("ml", restarts=32, hits=2),
    needs=("map",),
)

ML = Spec(
    name="ml",
    label="ML",
    title="Maximum likelihood",
    definition="ln p(y given theta) at the best maximum of the likelihood that EM finds",
    source="the MAP estimate at alpha = 1 in the simplex basis, thesis sec. 2.2.3",
    job=JOB,
    read=many_starts.objectives,
    side=Side.FIT,
    posterior=False,
    place=20,
)
