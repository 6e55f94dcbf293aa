"""Write the table of all structures of the family."""

from latentdag import effective_dimension, enumerate_structures
from latentdag.study.design.model import family_of
from lib.job import step


@step
def main(model, true_structure):
    rows = [
        {
            "structure": s.label,
            "n_links": s.n_links,
            "n_parameters": s.n_parameters,
            "is_true": s.label == true_structure,
            "dimension": effective_dimension(s),
            "class": s.absorbed().label,
        }
        for s in enumerate_structures(family_of(model))
    ]
    return {"structures": rows}
