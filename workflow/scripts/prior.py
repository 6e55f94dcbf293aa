"""The cheap scores and the reference of all structures at one size, under a prior of a strength of
its own.
"""

from latentdag.scores import JOBS, SPECS, run_job
from latentdag.scores.base import Score, Task
from latentdag.study.design.files import read_cases, read_structures
from latentdag.study.design.model import task_of
from lib.job import Progress, batches, step


def scores_of(task: Task, settings: dict[str, dict[str, int]]) -> list[Score]:
    """What the jobs of ``settings`` give; each stands after those that it needs."""
    scores, found = [], {}
    for name, own in settings.items():
        starts = {needed: JOBS[needed].estimates(found[needed]) for needed in JOBS[name].needs}
        new, found[name] = run_job(JOBS[name], task, own, starts)
        scores += [score for score in new if SPECS[score.method].judged]
    return scores


@step
def main(cases, draw, alpha, model, n, alpha_hidden, settings, structures):
    """``structures`` are those of own data."""
    names = {s: name for name, s in read_structures(structures or None, model).items()}
    work = len(settings) * len(names)
    progress = Progress(f"alpha {alpha}, draw {draw}, {n} cases", work, "fits and references")
    prior = {"alpha": float(alpha), "alpha_hidden": alpha_hidden}
    common = {"report": progress.add, "only_used": bool(structures)}
    together, cases = min(JOBS[name].together for name in settings), read_cases(cases, n)
    return {
        "prior": [
            {
                **{"draw": draw, "n": n, "alpha": float(alpha)},
                **{"structure": names[score.structure], "method": score.method},
                **{"score": score.score, "standard_error": score.standard_error},
            }
            for part in batches(sorted(names, key=lambda s: s.family.hidden), together)
            for score in scores_of(task_of(model | prior, part, cases, draw, **common), settings)
        ]
    }
