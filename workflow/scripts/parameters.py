"""Fitted parameters of the most probable structure, with intervals, and to which states it assigns
the cases, beside a column of the file if one is given.
"""

from latentdag.analysis.fit import Fit, fit
from latentdag.analysis.posterior_draws import TooManyNames
from latentdag.study.design.files import read_cases, read_structures, read_user_table
from latentdag.study.design.user_table import table_with_beside
from latentdag.study.own_data.fitted import crossed_rows, membership_rows, parameter_rows
from latentdag.study.schema import tables
from lib.job import logged


def fit_with_draws(table, structure, kind: str, draws: int, **settings) -> Fit:
    """A fit by ``kind``, map or ml, with ``draws`` posterior draws of each chain, or without where
    the states have too many names; it prints why. ``settings`` are those of `fit`.
    """
    try:
        return fit(table, structure, kind, draws=draws, **settings)
    except TooManyNames as error:
        print(f"no intervals: {error}")
        return fit(table, structure, kind, **settings)


with logged(snakemake.log[0]):
    files, output, params = snakemake.input, snakemake.output, snakemake.params
    structures = read_structures(files.structures, params.model)
    table = read_user_table(files.variables, read_cases(files.cases))
    posterior = tables.read(files.posterior, "posterior")
    posterior = posterior[posterior["method"] == params.method]
    best = posterior.loc[posterior["probability"].idxmax(), "structure"]
    settings = {key: params.model[key] for key in ("alpha", "alpha_hidden", "seed")}
    settings["restarts"] = params.restarts["map"]
    fitted = fit_with_draws(table, structures[best], "map", params.draws, **settings)
    tables.write(output.parameters, "parameters", parameter_rows(best, fitted, table))
    tables.write(output.membership, "membership", membership_rows(best, fitted, table))
    if column := params.data["beside"]:
        joint = table_with_beside(params.data)
        rows = crossed_rows(best, fitted, joint.counts, column, joint.levels[-1])
        tables.write(output.beside, "beside", rows)
