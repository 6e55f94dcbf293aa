"""Draw true parameters from the prior and simulate the cases; write both, the hidden states behind
the cases, and how probable the parameters make the cases.
"""

import numpy as np

from latentdag import Structure
from latentdag.model.parameters import cell_probabilities, draw_study
from latentdag.study.design.files import write_codes, write_parameters
from latentdag.study.design.model import family_of, prior_of
from lib.job import step


@step
def main(output, draw, model, true_structure, sizes):
    true = Structure.from_label(true_structure, family_of(model))
    drawn = draw_study(true, prior_of(model), max(sizes), model["seed"], draw)
    write_codes(output.cases, "y", drawn.cases)
    write_codes(output.states, "s", drawn.states)
    write_parameters(output.parameters, drawn.parameters)
    cells = cell_probabilities(true, drawn.parameters)
    log_likelihood = np.cumsum(np.log(cells[tuple(drawn.cases.T)]))
    print(f"{max(sizes)} cases from {true}")
    rows = [{"draw": draw, "n": n, "log_likelihood": log_likelihood[n - 1]} for n in sizes]
    return {"truth": rows}
