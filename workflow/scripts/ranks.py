"""Rank the true structure by every score."""

from latentdag.study import tables
from latentdag.study.ranks import ranks
from lib.job import logged


def main(snakemake):
    p = snakemake.params
    scores = tables.read(snakemake.input.scores, "scores")
    tables.write(snakemake.output.table, "ranks", ranks(scores, p.true_structure, p.seed))


with logged(snakemake.log[0]):
    main(snakemake)
