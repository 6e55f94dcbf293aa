"""Rank the true structure by every score."""

from latentdag.study import tables
from latentdag.study.ranks import rank_rows

from job import logged


def main(job):
    rows = rank_rows(
        tables.read(job.input.scores, "scores"), job.params.true_structure, job.params.seed
    )
    tables.write(job.output.table, "ranks", rows)
    print(f"{len(rows)} ranks")


with logged(snakemake.log[0]):
    main(snakemake)
