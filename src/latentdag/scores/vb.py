"""The variational Bayesian bound, by VBEM from many starts."""

from __future__ import annotations

from latentdag.inference import em
from latentdag.scores import many_starts
from latentdag.scores.base import Estimates, Job, Look, Setting, Settings, Side, Spec, Task


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, em.Best]:
    """The best variational fit, a `Best`, of each structure of ``task``, by label; ``settings`` are
    by name, ``estimates`` has those of ``map`` by label.

    Restarts are sparse: the best bound often leaves hidden states without cases, which saves the
    cost of their parameters, and starts from the prior seldom lead there. One more begins at
    ``map``'s estimate, which leaves no state without cases. With ``same_starts`` there are neither:
    the restart of each number begins where that of ``map`` does.
    """
    same = settings["same_starts"]
    first = None if same else {k: optima[:1] for k, optima in estimates["map"].items()}
    return many_starts.best_fits(task, settings, em.VBEM, first=first, sparse=not same)


SAME_STARTS = Setting(
    "same_starts",
    "restarts.vb.same_starts",
    False,
    "whether VBEM has the initial conditions of EM and no others",
    "ours, for better optima; the paper's is true (sec. 4.2)",
)

JOB = Job(
    name="vb",
    run=run,
    meaning="variational Bayesian EM",
    settings=(*many_starts.restart_settings("vb", restarts=128, hits=16), SAME_STARTS),
    needs=("map",),
    estimates=many_starts.optima,
)

VB = Spec(
    name="vb",
    label="VB",
    title="VB",
    definition="the bound F over q(s1, s2) q(theta), maximised by VBEM",
    source="paper eq. 5 to 7; thesis thm 2.1 and 2.2",
    job=JOB,
    read=many_starts.objectives,
    side=Side.LOWER_BOUND,
    figures=("scores", "rank", "tightness", "annealing"),
    look=Look("#184f93", "s", "-", 3.5),
    place=30,
)
