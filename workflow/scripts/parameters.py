"""Fitted parameters of the most probable structure, with intervals, and to which states it assigns
the cases, beside a column of the file if one is given.
"""

from latentdag.analysis.fit import fit
from latentdag.analysis.posterior_draws import TooManyRelabellings
from latentdag.study.design.files import read_cases, read_structures, read_user_table
from latentdag.study.design.user_table import table_with_beside
from latentdag.study.own_data.fitted import crossed_rows, membership_rows, parameter_rows
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    files, output, params = snakemake.input, snakemake.output, snakemake.params
    structures = read_structures(files.structures, params.model)
    table = read_user_table(files.variables, read_cases(files.cases))
    posterior = tables.read(files.posterior, "posterior")
    posterior = posterior[posterior["method"] == params.method]
    best = posterior.loc[posterior["probability"].idxmax(), "structure"]
    settings = {key: params.model[key] for key in ("alpha", "alpha_hidden", "seed")}
    settings["restarts"] = params.restarts["map"]
    try:
        fitted = fit(table, structures[best], "map", draws=params.draws, **settings)
    except TooManyRelabellings as error:
        print(f"no intervals: {error}")
        fitted = fit(table, structures[best], "map", **settings)
    tables.write(output.parameters, "parameters", parameter_rows(best, fitted, table))
    tables.write(output.membership, "membership", membership_rows(best, fitted, table))
    if column := params.data["beside"]:
        joint = table_with_beside(params.data)
        rows = crossed_rows(best, fitted, joint.counts, column, joint.levels[-1])
        tables.write(output.beside, "beside", rows)
