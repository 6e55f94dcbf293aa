"""Draw true parameters from the prior and simulate the cases; write both, and the hidden states
behind the cases.
"""

from latentdag import Structure
from latentdag.model import draw_study
from lib.files import family_of, prior_of, write_codes, write_parameters
from lib.job import logged


def main(snakemake):
    p = snakemake.params
    number, n = int(snakemake.wildcards.draw), int(snakemake.wildcards.n)
    true = Structure.from_label(p.true_structure, family_of(p.model))
    draw = draw_study(true, prior_of(p.model), n, p.model["seed"], number)
    write_codes(snakemake.output.cases, "y", draw.cases)
    write_codes(snakemake.output.states, "s", draw.states)
    write_parameters(snakemake.output.parameters, draw.parameters)
    print(f"{n} cases from {true}")


with logged(snakemake.log[0]):
    main(snakemake)
