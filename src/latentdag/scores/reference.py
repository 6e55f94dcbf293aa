"""The evidence by collapsed sequential Monte Carlo, to hold the other scores against."""

from collections.abc import Iterator, Mapping

from latentdag.scores.base import Job, Look, Score, Setting, Side, Spec, Task


def run(task: Task, settings: Mapping[str, int], estimates: Mapping) -> dict[str, tuple]:
    """By label the task's sizes, the ln evidence at each, its error, and the number of runs.

    Sizes share runs (see `log_evidence_in_groups`); without ``task.sizes`` all cases are one data
    set, and their order shows in no bit.
    """
    from latentdag.sampling.smc import evidence  # numba takes a second to import

    common = {"prior": task.prior, "seed": task.seed, "key": task.key}
    found = {}
    for s in task.structures:
        if task.sizes is None:
            sizes = (task.n,)
            path = evidence.log_evidence_alone(task.cases, s, **settings, **common)
        else:
            sizes = task.sizes
            path = evidence.log_evidence_in_groups(task.cases, s, sizes, **settings, **common)
        values = zip(path.log_evidence.tolist(), path.standard_error.tolist(), strict=True)
        found[s.label] = dict(zip(sizes, values, strict=True)), len(path.by_run)
        if task.report:
            task.report(1)
    return found


def read(task: Task, found: Mapping[str, tuple]) -> Iterator[Score]:
    """ln of the mean of the runs' estimates, with its jackknife error."""
    for s in task.structures:
        by_size, runs = found[s.label]
        estimate, error = by_size[task.n]
        yield Score(s, estimate, error, restarts=runs)


JOB = Job(
    name="reference",
    run=run,
    meaning="reference evidence",
    settings=(
        Setting(
            name="particles",
            key="reference.particles",
            default=4096,
            minimum=4,
            meaning="particles of a run up to 640 cases, half of them up to 2560, a quarter beyond",
        ),
        Setting(
            name="runs",
            key="reference.runs",
            default=12,
            minimum=2,
            meaning="independent runs, whose spread gives the standard error",
        ),
        Setting(
            name="alone_from",
            key="reference.alone_from",
            default=5120,
            meaning=(
                "size from which each has runs of its own, with a quarter of the particles; the "
                "study's sizes below share runs, others have their own with all particles"
            ),
        ),
    ),
    spans_sizes=True,
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
    closed_form=True,
    figures=("scores", "rank", "annealing"),
    # in the background: a wide pale line, which the thin dark ones cross without hiding it
    look=Look("#74c2a0", "P", "-", 5.6, width=3.6, pale=True),
    place=90,
)
