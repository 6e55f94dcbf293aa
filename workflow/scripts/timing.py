"""Running times of the scoring jobs, from the rules' benchmarks, beside the paper's."""

import csv
from pathlib import Path

from latentdag.study import tables
from latentdag.study.timing import timing
from lib.job import logged


def seconds(benchmark: str) -> float:
    """Wall time of a job."""
    with Path(benchmark).open(newline="", encoding="utf-8") as file:
        return sum(float(row["s"]) for row in csv.DictReader(file, delimiter="\t"))


def main(snakemake):
    p = snakemake.params
    total = {(run["job"], run["n"]): sum(map(seconds, run["benchmarks"])) for run in p.runs}
    tables.write(snakemake.output.table, "timing", timing(total, p.draws))


with logged(snakemake.log[0]):
    main(snakemake)
