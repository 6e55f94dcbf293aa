"""AIS of the true structure with one length of the annealing schedule, from prior draws and from
the true parameters.
"""

from latentdag import Structure
from latentdag.scores.ais import annealing_runs
from latentdag.study.design.files import read_cases, read_parameters
from latentdag.study.design.model import family_of, task_of
from latentdag.study.schema import tables
from lib.job import Progress, logged

with logged(snakemake.log[0]):
    params, draw = snakemake.params, int(snakemake.wildcards.draw)
    steps = int(snakemake.wildcards.steps)
    true = Structure.from_label(params.true_structure, family_of(params.model))
    # many chains at once take no longer than one
    progress = Progress(f"annealing, draw {draw}, {steps} steps", 2, "starts")
    cases = read_cases(snakemake.input.cases, params.n)
    task = task_of(params.model, [true], cases, draw, report=progress.add)
    runs = {
        "prior": annealing_runs(task, steps, params.chains),
        "true": annealing_runs(task, steps, 1, read_parameters(snakemake.input.parameters)),
    }
    about = {"draw": draw, "n": params.n, "structure": true.label, "transition": "metropolis"}
    rows = [
        about | {"steps": steps, "start": start, "chain": chain, "log_weight": weight}
        for start, weights in runs.items()
        for chain, weight in enumerate(weights.tolist())
    ]
    tables.write(snakemake.output.annealing, "annealing", rows)
