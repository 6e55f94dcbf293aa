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
from lib.job import step


@step
def main(scores, evidence, structures, model, equally_probable):
    scores, prior = read_with_evidence(scores, evidence or None), None
    if equally_probable:
        of_study = read_structures(structures, model)
        values = log_prior(list(of_study.values()), families_of(model), equally_probable)
        prior = pd.Series(values, index=list(of_study))
    return {
        "errors": errors(scores),
        "posterior": posterior.posterior(scores, prior),
        "classes": posterior.classes(scores, tables.read(structures, "structures"), prior),
    }
