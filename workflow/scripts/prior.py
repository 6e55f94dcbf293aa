"""The cheap scores and the reference of all structures at one size, under a prior of a strength of
its own.
"""

from latentdag import Prior
from latentdag.scores import JOBS, SPECS, run_job
from latentdag.scores.base import Score, Task
from lib.files import read_cases, read_structures
from lib.job import Progress, batches, tabulate


def scores_of(task: Task, settings: dict[str, dict[str, int]]) -> list[Score]:
    """What the jobs of ``settings`` give; each stands after those that it needs."""
    scores, found = [], {}
    for name, own in settings.items():
        starts = {needed: JOBS[needed].estimates(found[needed]) for needed in JOBS[name].needs}
        new, found[name] = run_job(JOBS[name], task, own, starts)
        scores += [score for score in new if SPECS[score.method].judged]
    return scores


def main(snakemake):
    p, draw, alpha = snakemake.params, int(snakemake.wildcards.draw), snakemake.wildcards.alpha
    table = snakemake.input.get("structures")  # of own data
    names = {s: name for name, s in read_structures(table, p.model).items()}
    work = len(p.settings) * len(names)
    progress = Progress(f"alpha {alpha}, draw {draw}, {p.n} cases", work, "fits and references")
    common = {
        "cases": read_cases(snakemake.input.cases, p.n),
        "prior": Prior(float(alpha), p.alpha_hidden),
        "seed": p.model["seed"],
        "key": (draw,),
        "report": progress.add,
        "only_used": bool(table),
    }
    together = min(JOBS[name].together for name in p.settings)
    rows = [
        {
            "draw": draw,
            "n": p.n,
            "alpha": float(alpha),
            "structure": names[score.structure],
            "method": score.method,
            "score": score.score,
            "standard_error": score.standard_error,
        }
        for part in batches(sorted(names, key=lambda s: s.family.hidden), together)
        for score in scores_of(Task(part, **common), p.settings)
    ]
    return {"prior": rows}


tabulate(snakemake, main)
