"""Join the tables of several jobs."""

from latentdag.scores import METHODS
from latentdag.study.schema import tables
from lib.job import logged


def main(snakemake):
    parts = snakemake.input.parts
    n_rows = tables.join(snakemake.output.table, snakemake.params.table, parts, METHODS)
    print(f"{n_rows} rows from {len(parts)} files")


with logged(snakemake.log[0]):
    main(snakemake)
