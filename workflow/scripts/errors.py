"""How wrong each score is by the evidence, and what posterior it implies, over structures
and over their classes.
"""

import pandas as pd

from latentdag.search.structure_prior import log_prior
from latentdag.study.one_draw.errors import errors
from latentdag.study.one_draw.posterior import classes, posterior
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import read_with_evidence
from lib.files import families_of, read_structures
from lib.job import logged


def main(snakemake):
    p, given = snakemake.params, snakemake.input
    scores = read_with_evidence(given.scores, given.get("evidence"))
    structures = tables.read(given.structures, "structures")
    tables.write(snakemake.output.errors, "errors", errors(scores))
    prior = None
    if p.equally_probable:
        known, families = read_structures(given.structures, p.model), families_of(p.model)
        values = log_prior(list(known.values()), families, p.equally_probable)
        prior = pd.Series(values, index=list(known))
    tables.write(snakemake.output.posterior, "posterior", posterior(scores, prior))
    tables.write(snakemake.output.classes, "classes", classes(scores, structures, prior))


with logged(snakemake.log[0]):
    main(snakemake)
