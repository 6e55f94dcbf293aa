"""Put tables of one kind under each other, one at a time in memory."""

from latentdag.study.schema import tables
from lib.job import logged


def main(snakemake):
    parts = snakemake.input.parts
    n_rows = tables.stack(snakemake.output.table, snakemake.params.table, parts)
    print(f"{n_rows} rows from {len(parts)} files")


with logged(snakemake.log[0]):
    main(snakemake)
