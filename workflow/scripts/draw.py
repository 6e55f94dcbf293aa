"""Draw true parameters from the prior and simulate the cases; write both, the hidden states behind
the cases, and how probable the parameters make the cases.
"""

import numpy as np

from latentdag import Structure
from latentdag.model.parameters import cell_probabilities, draw_study
from latentdag.study.design.files import write_codes, write_parameters
from latentdag.study.design.model import family_of, prior_of
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    output, params, draw = snakemake.output, snakemake.params, int(snakemake.wildcards.draw)
    model, n = params.model, max(params.sizes)
    true = Structure.from_label(params.true_structure, family_of(model))
    drawn = draw_study(true, prior_of(model), n, model["seed"], draw)
    write_codes(output.cases, "y", drawn.cases)
    write_codes(output.states, "s", drawn.states)
    write_parameters(output.parameters, drawn.parameters)
    cells = cell_probabilities(true, drawn.parameters)
    log_likelihood = np.cumsum(np.log(cells[tuple(drawn.cases.T)]))
    rows = [{"draw": draw, "n": n, "log_likelihood": log_likelihood[n - 1]} for n in params.sizes]
    tables.write(output.truth, "truth", rows)
    print(f"{n} cases from {true}")
