"""Rank the true structure, and its class, by every score."""

from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema import tables
from lib.job import logged


def main(snakemake):
    p = snakemake.params
    scores = tables.read(snakemake.input.scores, "scores")
    structures = tables.read(snakemake.input.structures, "structures")
    found = ranks(scores, p.true_structure, p.seed, structures)
    tables.write(snakemake.output.table, "ranks", found)


with logged(snakemake.log[0]):
    main(snakemake)
