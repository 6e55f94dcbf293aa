"""How far each score is from the evidence, and the posterior that it implies, over structures and
over their classes.
"""

import pandas as pd

from latentdag.ranking.prior import log_prior
from latentdag.study.design.files import read_structures
from latentdag.study.design.model import families_of
from latentdag.study.one_draw import posterior
from latentdag.study.one_draw.errors import errors
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import read_with_evidence
from lib.job import logged

with logged(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    scores, prior = read_with_evidence(files.scores, files.evidence or None), None
    if params.equally_probable:
        structures_by_name = read_structures(files.structures, params.model)
        families = families_of(params.model)
        values = log_prior(list(structures_by_name.values()), families, params.equally_probable)
        prior = pd.Series(values, index=list(structures_by_name))
    structures = tables.read(files.structures, "structures")
    tables.write(snakemake.output.errors, "errors", errors(scores))
    tables.write(snakemake.output.posterior, "posterior", posterior.posterior(scores, prior))
    classes = posterior.classes(scores, structures, prior)
    tables.write(snakemake.output.classes, "classes", classes)
