"""Running times of the scoring jobs, from the rules' benchmarks, beside the paper's."""

import csv
from collections import defaultdict
from math import nan
from pathlib import Path

from latentdag.study import tables

from job import logged

# 136 structures at 480 cases on a 1 GHz Pentium III (Beal & Ghahramani 2003, sec. 4.2)
PAPER_SECONDS = {("map", 480): 200.0, ("vb", 480): 575.0, ("ais", 480): 55000.0}
REPORTED = {
    "map": "bic",
    "vb": "vb",
    "ais": "ais",
}  # the job of map gives bic, whose time the paper states


def main(job):
    """Seconds of wall time, summed over a method's jobs, averaged over draws."""
    seconds = defaultdict(float)
    for part in map(Path, job.input.parts):
        draw, n, (method, block) = part.parts[-3], int(part.parts[-2][1:]), part.name.split(".")[:2]
        benchmark = Path(job.params.benchmarks) / f"{method}.{draw}.{n}.{block}.tsv"
        with benchmark.open(newline="", encoding="utf-8") as file:
            seconds[method, n] += sum(
                float(row["s"]) for row in csv.DictReader(file, delimiter="\t")
            )
    rows = [
        (n, REPORTED[m], s / job.params.draws, PAPER_SECONDS.get((m, n), nan))
        for (m, n), s in seconds.items()
    ]
    tables.write(
        job.output.table,
        "timing",
        sorted(rows, key=lambda row: (row[0], list(REPORTED.values()).index(row[1]))),
    )


with logged(snakemake.log[0]):
    main(snakemake)
