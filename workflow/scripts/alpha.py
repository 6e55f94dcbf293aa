"""What the posterior says of causes and of links, under several strengths of the prior."""

import pandas as pd

from latentdag.study.own_data.marginals import under_alphas
from latentdag.study.schema import tables
from lib.files import read_structures
from lib.job import logged


def main(snakemake):
    p, given = snakemake.params, snakemake.input
    variables = tables.read(given.variables, "variables")
    found = under_alphas(
        pd.concat([tables.read(path, "prior") for path in given.prior], ignore_index=True),
        tables.read(given.posterior, "posterior"),
        tables.read(given.scores, "scores"),
        methods=p.methods,
        alpha=p.model["alpha"],
        alpha_hidden=p.model["alpha_hidden"],
        known=read_structures(given.structures, p.model),
        names=variables.drop_duplicates("variable")["name"].tolist(),
    )
    tables.write(snakemake.output.table, "alpha", found)


with logged(snakemake.log[0]):
    main(snakemake)
