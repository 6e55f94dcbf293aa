"""Rank the true structure, and its class, by every score."""

from latentdag.study.one_draw.ranks import ranks
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import read_with_evidence
from lib.job import logged


def main(snakemake):
    p, given = snakemake.params, snakemake.input
    scores = read_with_evidence(given.scores, given.get("evidence"))
    structures = tables.read(given.structures, "structures")
    found = ranks(scores, p.true_structure, p.seed, structures)
    tables.write(snakemake.output.table, "ranks", found)


with logged(snakemake.log[0]):
    main(snakemake)
