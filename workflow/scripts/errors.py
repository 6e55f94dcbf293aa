"""How wrong each score is, and what it makes of the posterior over structures, by the reference
evidence.
"""

from latentdag.study import tables
from latentdag.study.errors import errors
from latentdag.study.posterior import posterior
from lib.job import logged


def main(snakemake):
    scores = tables.read(snakemake.input.scores, "scores")
    tables.write(snakemake.output.errors, "errors", errors(scores))
    tables.write(snakemake.output.posterior, "posterior", posterior(scores))


with logged(snakemake.log[0]):
    main(snakemake)
