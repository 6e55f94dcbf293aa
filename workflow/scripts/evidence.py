"""How wrong each score is, and what it makes of the posterior over structures, by the reference
evidence.
"""

from latentdag.study import errors as evidence
from latentdag.study import tables

from job import logged


def main(job):
    scores = tables.read(job.input.scores, "scores")
    tables.write(job.output.errors, "errors", evidence.error_rows(scores))
    tables.write(job.output.posterior, "posterior", evidence.posterior_rows(scores))


with logged(snakemake.log[0]):
    main(snakemake)
