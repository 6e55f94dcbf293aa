"""The evidence by collapsed sequential Monte Carlo, to hold the other scores against."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf

from latentdag.inference import particles
from latentdag.scores import base
from latentdag.scores.base import Estimates, Job, Look, Score, Setting, Settings, Side, Spec, Task

FEWEST = 2  # runs whose spread gives a standard error
MOST_CASES = 100_000  # above, tempered SMC serves: its cost does not grow with n
# times the target, by the largest number of cases: the evidence itself grows as they do
LOOSER: Mapping[float, float] = {640: 1.0, 2560: 2.5, inf: 5.0}


def target_at(n: int, target: float) -> float:
    """The standard error asked for at ``n`` cases, in nats, where ``target`` is the standard error
    asked for up to 640 cases.
    """
    return target * next(times for size, times in LOOSER.items() if n <= size)


def effort(settings: Settings, n: int, label: str, reach: base.Reach | None) -> dict[str, float]:
    """The arguments of `log_evidence` by name: ``settings``, changed to suit ``n`` cases and the
    structure of this ``label``. With a ``reach`` a structure within it gets runs until its target
    is met, without a pilot, and fewer runs above its most cases, so that none takes more time
    there; a structure beyond it gets the fewest runs that have an error.
    """
    if reach is None:
        return settings | {"target": target_at(n, settings["target"])}
    if label not in reach.labels:
        return settings | {"runs": FEWEST, "most_runs": FEWEST}
    most_runs = settings["most_runs"] * reach.most_cases // max(n, reach.most_cases)
    return settings | {"target": reach.target, "most_runs": most_runs, "pilot": False}


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, particles.LogEvidence]:
    """The `LogEvidence`, by `latentdag.inference.particles.evidence.log_evidence`, of each
    structure of ``task``, by label; ``settings`` are by name, ``estimates`` are not read.
    """
    cases, evidence_by_label = task.one_by_one(), {}
    for s in task.structures:
        amount = effort(settings, task.n, s.label, task.reach)
        evidence_by_label[s.label] = particles.evidence.log_evidence(
            cases, s, task.prior, seed=task.seed, key=task.key, **amount
        )
        if task.report:
            task.report(1)
    return evidence_by_label


def read(task: Task, evidence_by_label: Mapping[str, particles.LogEvidence]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: ln of the mean of its runs' estimates of the
    evidence, with its standard error, both in nats, from the `LogEvidence` of each label.
    """
    for s in task.structures:
        evidence = evidence_by_label[s.label]
        yield Score(
            s, evidence.log_evidence, evidence.standard_error, restarts=len(evidence.by_run)
        )


def refuse(task: Task) -> None:
    """Raise ValueError where, for a structure of ``task``, a product of the counts of all variables
    would leave the range of double precision.
    """
    for s in task.structures:
        family = s.without_childless().family
        if not family.hidden:
            continue
        each = particles.model.decades_of_count(task.n, family.hidden, family.observed, task.prior)
        most = int(particles.model.DECADES / each) - len(family.hidden)
        if (n_linked := sum(map(bool, s.parents))) > most:
            raise ValueError(
                f"reference is done for at most {most} observed variables with causes where there "
                f"are {task.n:,} cases; there are {n_linked:,}: {base.FOR_MANY_VARIABLES}"
            )


JOB = Job(
    name="reference",
    run=run,
    meaning="reference evidence",
    most_cases=MOST_CASES,
    refuse=refuse,
    settings=(
        Setting(
            "target",
            "reference.target",
            0.1,
            "standard error, in nats, at which no more runs are added, up to 640 cases; 2.5 times "
            "that up to 2560, 5 times that above",
            minimum=0.001,
        ),
        Setting(
            "particles",
            "reference.particles",
            64,
            "particles of each pilot run at 640 or more cases; below, the number grows in inverse "
            "proportion. The spread of the pilot sets the particles of the final runs, never fewer",
            minimum=4,
        ),
        Setting(
            "runs",
            "reference.runs",
            16,
            "independent runs of a round, whose spread gives the standard error",
            minimum=2,
        ),
        Setting(
            "most_runs",
            "reference.most_runs",
            1024,
            "largest number of runs, whether the target is met or not; if it is not above the "
            "number of runs of a round, there is one round, and no pilot",
            minimum=2,
        ),
    ),
    reach_by=(base.REACH,),
)

REFERENCE = Spec(
    name="reference",
    label="reference",
    title="Reference",
    definition=(
        "ln of the mean estimate of the evidence by sequential Monte Carlo over the cases, the "
        "parameters integrated out"
    ),
    source="Chopin 2002, Biometrika 89, 539-552; Liu & Chen 1998",
    job=JOB,
    read=read,
    side=Side.EVIDENCE,
    monte_carlo=True,
    figures=("scores", "rank", "annealing"),
    # in the background: a wide pale line, which the thin dark ones cross without hiding it
    look=Look("#74c2a0", "P", "-", 5.6, width=3.6, pale=True),
    place=90,
)
