"""How wrong each score is by the reference evidence, and what posterior it implies, over structures
and over their classes.
"""

from latentdag.study import tables
from latentdag.study.classes import classes
from latentdag.study.errors import errors
from latentdag.study.posterior import posterior
from lib.job import logged


def main(snakemake):
    scores = tables.read(snakemake.input.scores, "scores")
    structures = tables.read(snakemake.input.structures, "structures")
    tables.write(snakemake.output.errors, "errors", errors(scores))
    tables.write(snakemake.output.posterior, "posterior", posterior(scores))
    tables.write(snakemake.output.classes, "classes", classes(scores, structures))


with logged(snakemake.log[0]):
    main(snakemake)
