"""Draw true parameters from the prior and simulate the cases; write both, and the hidden states
behind the cases.
"""

from latentdag import Structure
from latentdag.model import draw_study

from job import csv_text, family_of, logged, prior_of, write_parameters, write_text


def main(job):
    model = job.params.model
    true = Structure.from_label(job.params.true_structure, family_of(model))
    draw = draw_study(true, prior_of(model), job.params.n, model["seed"], int(job.wildcards.draw))
    write_text(job.output.cases, csv_text("y", draw.cases))
    write_text(job.output.states, csv_text("s", draw.states))
    write_parameters(job.output.parameters, draw.parameters)
    print(f"{job.params.n} cases from {true}")


with logged(snakemake.log[0]):
    main(snakemake)
