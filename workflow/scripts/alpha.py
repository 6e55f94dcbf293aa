"""Probabilities of hidden causes and of links, by strength of the prior."""

import pandas as pd

from latentdag.study.design.files import read_structures
from latentdag.study.own_data.marginals import marginals_by_alpha
from latentdag.study.schema import tables
from latentdag.study.schema.candidates import variable_names
from lib.job import logged

with logged(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    marginals = marginals_by_alpha(
        pd.concat([tables.read(path, "prior") for path in files.prior], ignore_index=True),
        tables.read(files.posterior, "posterior"),
        tables.read(files.scores, "scores"),
        methods=params.methods,
        alpha=params.model["alpha"],
        alpha_hidden=params.model["alpha_hidden"],
        structures_by_name=read_structures(files.structures, params.model),
        names=variable_names(tables.read(files.variables, "variables")),
    )
    tables.write(snakemake.output.alpha, "alpha", marginals)
