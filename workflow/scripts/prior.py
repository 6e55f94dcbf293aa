"""The cheap scores and the reference of all structures at one size, under a prior of a strength of
its own.
"""

from latentdag.scores import JOBS, SPECS, run_job
from latentdag.scores.base import Score, Task
from latentdag.study.design.files import read_cases, read_structures
from latentdag.study.design.model import task_of
from latentdag.study.schema import tables
from lib.job import Progress, batches, logged


def scores_of(task: Task, settings: dict[str, dict[str, int]]) -> list[Score]:
    """The scores on ``task`` of the jobs of ``settings``, which has the settings of each job by
    name, each job after those that it needs. Scores of the fit alone, which neither estimate nor
    bound the evidence, are left out.
    """
    scores, findings = [], {}
    for name, of_job in settings.items():
        starts = {needed: JOBS[needed].estimates(findings[needed]) for needed in JOBS[name].needs}
        new, findings[name] = run_job(JOBS[name], task, of_job, starts)
        scores += [score for score in new if SPECS[score.method].judged]
    return scores


with logged(snakemake.log[0]):
    files, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    alpha, draw, settings = float(wildcards.alpha), int(wildcards.draw), params.settings
    # a file of structures is that of own data
    structures = read_structures(files.structures or None, params.model)
    names = {structure: name for name, structure in structures.items()}
    title = f"alpha {wildcards.alpha}, draw {draw}, {params.n} cases"
    progress = Progress(title, len(settings) * len(names), "fits and references")
    model = params.model | {"alpha": alpha, "alpha_hidden": params.alpha_hidden}
    common = {"report": progress.add, "only_used": bool(files.structures)}
    cases, together = read_cases(files.cases, params.n), min(JOBS[job].together for job in settings)
    rows = [
        {
            "draw": draw,
            "n": params.n,
            "alpha": alpha,
            "structure": names[score.structure],
            "method": score.method,
            "score": score.score,
            "standard_error": score.standard_error,
        }
        for part in batches(sorted(names, key=lambda s: s.family.hidden), together)
        for score in scores_of(task_of(model, part, cases, draw, **common), settings)
    ]
    tables.write(snakemake.output.prior, "prior", rows)
