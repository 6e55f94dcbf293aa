"""Rank the true structure by every score."""

from latentdag.study import ranks, tables

from lib.job import logged


def main(snakemake):
    p = snakemake.params
    scores = tables.read(snakemake.input.scores, "scores")
    rows = ranks.rank_rows(scores, p.true_structure, p.seed)
    tables.write(snakemake.output.table, "ranks", rows)
    print(f"{len(rows)} ranks")


with logged(snakemake.log[0]):
    main(snakemake)
