"""Probabilities of hidden causes and of links, by strength of the prior."""

import pandas as pd

from latentdag.study.design.files import read_structures
from latentdag.study.own_data.marginals import marginals_by_alpha
from latentdag.study.schema import tables
from latentdag.study.schema.candidates import variable_names
from lib.job import step


@step
def main(prior, posterior, scores, structures, variables, model, methods):
    found = marginals_by_alpha(
        pd.concat([tables.read(path, "prior") for path in prior], ignore_index=True),
        tables.read(posterior, "posterior"),
        tables.read(scores, "scores"),
        methods=methods,
        alpha=model["alpha"],
        alpha_hidden=model["alpha_hidden"],
        known=read_structures(structures, model),
        names=variable_names(tables.read(variables, "variables")),
    )
    return {"alpha": found}
