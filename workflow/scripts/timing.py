"""Running times of the scoring jobs, from the rules' benchmarks, beside the paper's."""

import csv
from pathlib import Path

from latentdag.study import tables

from lib.job import logged

# 136 structures at 480 cases on a 1 GHz Pentium III (Beal & Ghahramani 2003, sec. 4.2)
PAPER_SECONDS = {("bic", 480): 200, ("vb", 480): 575, ("ais", 480): 55000}


def seconds(benchmark: str) -> float:
    """Wall time of a job."""
    with Path(benchmark).open(newline="", encoding="utf-8") as file:
        return sum(float(row["s"]) for row in csv.DictReader(file, delimiter="\t"))


def main(snakemake):
    """Wall time of all runs of a job at one size, averaged over draws."""
    rows = [
        {
            "n": run["n"],
            "method": run["method"],
            "seconds": sum(map(seconds, run["benchmarks"])) / snakemake.params.draws,
            "paper_seconds": PAPER_SECONDS.get((run["method"], run["n"])),
        }
        for run in snakemake.params.runs
    ]
    tables.write(snakemake.output.table, "timing", rows)


with logged(snakemake.log[0]):
    main(snakemake)
