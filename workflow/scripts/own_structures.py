"""Write the table of the structures that a study of one's own data scores."""

from latentdag import enumerate_structures
from latentdag.study import tables
from latentdag.study.candidates import rows
from lib.files import family_of
from lib.job import logged


def main(snakemake):
    structures = enumerate_structures(family_of(snakemake.params.model))
    tables.write(snakemake.output.table, "structures", rows(structures, several=False))
    print(f"{len(structures)} structures")


with logged(snakemake.log[0]):
    main(snakemake)
