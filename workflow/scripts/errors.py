"""How wrong each score is, and what it makes of the posterior over structures, by the reference
evidence.
"""

from latentdag.study import errors, tables

from lib.job import logged


def main(snakemake):
    scores = tables.read(snakemake.input.scores, "scores")
    tables.write(snakemake.output.errors, "errors", errors.error_rows(scores))
    tables.write(snakemake.output.posterior, "posterior", errors.posterior_rows(scores))


with logged(snakemake.log[0]):
    main(snakemake)
