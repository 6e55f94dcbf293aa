"""Draw true parameters from the prior and simulate the cases; write both, the hidden states behind
the cases, and how probable the parameters make the cases.
"""

import numpy as np

from latentdag import Structure
from latentdag.model.parameters import cell_probabilities, draw_study
from lib.files import family_of, prior_of, write_codes, write_parameters
from lib.job import tabulate


def main(snakemake):
    p, output = snakemake.params, snakemake.output
    number = int(snakemake.wildcards.draw)
    true = Structure.from_label(p.true_structure, family_of(p.model))
    draw = draw_study(true, prior_of(p.model), max(p.sizes), p.model["seed"], number)
    write_codes(output.cases, "y", draw.cases)
    write_codes(output.states, "s", draw.states)
    write_parameters(output.parameters, draw.parameters)
    cells = cell_probabilities(true, draw.parameters)
    log_likelihood = np.cumsum(np.log(cells[tuple(draw.cases.T)]))
    rows = [{"draw": number, "n": n, "log_likelihood": log_likelihood[n - 1]} for n in p.sizes]
    print(f"{max(p.sizes)} cases from {true}")
    return {"truth": rows}


tabulate(snakemake, main)
