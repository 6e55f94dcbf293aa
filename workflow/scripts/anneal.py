"""AIS of the true structure with one length of the annealing schedule, from prior draws and from
the true parameters.
"""

from latentdag import Structure
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Task
from lib.files import family_of, prior_of, read_cases, read_parameters
from lib.job import Progress, tabulate


def main(snakemake):
    p = snakemake.params
    draw, steps = int(snakemake.wildcards.draw), int(snakemake.wildcards.steps)
    true = Structure.from_label(p.true_structure, family_of(p.model))
    cases = read_cases(snakemake.input.cases, p.n)
    # many chains at once take no longer than one
    progress = Progress(f"annealing, draw {draw}, {steps} steps", 2, "starts")
    common = {"prior": prior_of(p.model), "seed": p.model["seed"], "key": (draw,)}
    task = Task([true], cases, report=progress.add, **common)
    parameters = read_parameters(snakemake.input.parameters)
    runs = {
        "prior": annealing_runs(task, steps, p.chains),
        "true": annealing_runs(task, steps, 1, parameters),
    }
    rows = [
        {
            "draw": draw,
            "n": p.n,
            "structure": true.label,
            "transition": "metropolis",
            "steps": steps,
            "start": start,
            "chain": chain,
            "log_weight": weight,
        }
        for start, weights in runs.items()
        for chain, weight in enumerate(weights.tolist())
    ]
    return {"annealing": rows}


tabulate(snakemake, main)
