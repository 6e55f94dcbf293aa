"""Put together the tables of several jobs: sorted, or what is large under each other."""

from pathlib import Path

from latentdag.scores import METHODS
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    [path], parts = snakemake.output, snakemake.input.parts
    table = Path(path).stem
    if path.endswith(".parquet"):
        n_rows = tables.stack(path, table, parts)
    else:
        n_rows = tables.join(path, table, parts, METHODS)
    print(f"{n_rows} rows from {len(parts)} files")
