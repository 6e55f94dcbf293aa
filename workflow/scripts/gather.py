"""Put together the tables of several jobs: sorted, or what is large under each other."""

from latentdag.scores import METHODS
from latentdag.study.schema import tables
from lib.job import logged


def main(snakemake):
    [(table, path)], parts = snakemake.output.items(), snakemake.input.parts
    if path.endswith(".parquet"):
        n_rows = tables.stack(path, table, parts)
    else:
        n_rows = tables.join(path, table, parts, METHODS)
    print(f"{n_rows} rows from {len(parts)} files")


with logged(snakemake.log[0]):
    main(snakemake)
