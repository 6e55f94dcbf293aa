"""Write the table of all structures of the family."""

from latentdag import effective_dimension, enumerate_structures
from latentdag.study.design.model import family_of
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    rows = [
        {
            "structure": s.label,
            "n_links": s.n_links,
            "n_parameters": s.n_parameters,
            "is_true": s.label == snakemake.params.true_structure,
            "dimension": effective_dimension(s),
            "class": s.absorbed().label,
        }
        for s in enumerate_structures(family_of(snakemake.params.model))
    ]
    tables.write(snakemake.output.structures, "structures", rows)
