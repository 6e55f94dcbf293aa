"""AIS of the true structure with one length of the annealing schedule, from prior draws and from
the true parameters.
"""

from latentdag import Structure
from latentdag.scores.ais import annealing_runs
from latentdag.study.design.files import read_cases, read_parameters
from latentdag.study.design.model import family_of, task_of
from lib.job import Progress, step


@step
def main(cases, parameters, draw, steps, model, true_structure, n, chains):
    true = Structure.from_label(true_structure, family_of(model))
    # many chains at once take no longer than one
    progress = Progress(f"annealing, draw {draw}, {steps} steps", 2, "starts")
    task = task_of(model, [true], read_cases(cases, n), draw, report=progress.add)
    runs = {
        "prior": annealing_runs(task, steps, chains),
        "true": annealing_runs(task, steps, 1, read_parameters(parameters)),
    }
    about = {"draw": draw, "n": n, "structure": true.label, "transition": "metropolis"}
    rows = [
        about | {"steps": steps, "start": start, "chain": chain, "log_weight": weight}
        for start, weights in runs.items()
        for chain, weight in enumerate(weights.tolist())
    ]
    return {"annealing": rows}
