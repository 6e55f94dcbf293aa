"""Write the table of all structures of the family."""

from latentdag import enumerate_structures
from latentdag.study import tables

from job import family_of, logged


def main(job):
    rows = [
        (s.label, s.n_links, s.n_parameters, s.label == job.params.true_structure)
        for s in enumerate_structures(family_of(job.params.model))
    ]
    tables.write(job.output.table, "structures", rows)
    print(f"{len(rows)} structures")


with logged(snakemake.log[0]):
    main(snakemake)
