"""AIS of the true structure with one length of the annealing schedule, from prior draws and from
the true parameters.
"""

from latentdag import Structure
from latentdag.counts import cell_counts
from latentdag.scores import Task, annealing_runs
from latentdag.study import tables

from job import Progress, family_of, logged, prior_of, read_cases, read_parameters


def main(job):
    p, draw, steps = job.params, int(job.wildcards.draw), int(job.wildcards.steps)
    true = Structure.from_label(p.true_structure, family_of(p.model))
    counts = cell_counts(read_cases(job.input.cases, p.n), true.family)
    progress = Progress(
        f"annealing, draw {draw}, {steps} steps", 2, "starts"
    )  # many chains at once take no longer than one
    task = Task([true], counts, prior_of(p.model), p.model["seed"], (draw,), progress.add)
    runs = {
        "prior": annealing_runs(task, steps, p.chains),
        "true": annealing_runs(task, steps, 1, read_parameters(job.input.parameters)),
    }
    rows = [
        (draw, p.n, true.label, "metropolis", steps, start, chain, float(w))
        for start, weights in runs.items()
        for chain, w in enumerate(weights)
    ]
    tables.write(job.output.table, "annealing", rows)


with logged(snakemake.log[0]):
    main(snakemake)
