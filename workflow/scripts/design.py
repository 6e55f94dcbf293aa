"""Write the design: a row per draw."""

from latentdag.study.schema import tables
from lib.job import logged


def main(snakemake):
    rows = snakemake.params.rows
    tables.write(snakemake.output.table, "design", rows)
    print(f"{len(rows)} draws")


with logged(snakemake.log[0]):
    main(snakemake)
