"""Fitted parameters of the most probable structure, with intervals, and to which states it assigns
the cases, beside a column of the file if one is given.
"""

from latentdag.analysis.fit import Fit, fit
from latentdag.analysis.posterior_draws import TooManyNames
from latentdag.study.design.files import read_cases, read_own_table, read_structures
from latentdag.study.design.own_table import table_with_beside
from latentdag.study.own_data.fitted import crossed_rows, membership_rows, parameter_rows
from latentdag.study.schema import tables
from lib.job import step


def fit_with_draws(cases, structure, kind: str, draws: int, **settings) -> Fit:
    """A fit with posterior draws, or without where the states have too many names."""
    try:
        return fit(cases, structure, kind, draws=draws, **settings)
    except TooManyNames as error:
        print(f"no intervals: {error}")
        return fit(cases, structure, kind, **settings)


@step
def main(given, model, method, data, restarts, draws):
    known = read_structures(given.structures, model)
    cases = read_cases(given.cases)
    table = read_own_table(given.variables, cases)
    posterior = tables.read(given.posterior, "posterior")
    own = posterior[posterior["method"] == method]
    best = own.loc[own["probability"].idxmax(), "structure"]
    settings = {key: model[key] for key in ("alpha", "alpha_hidden", "seed")}
    settings["restarts"] = restarts["map"]
    fitted = fit_with_draws(cases, known[best], "map", draws, **settings)
    found = {
        "parameters": list(parameter_rows(best, fitted, table)),
        "membership": list(membership_rows(best, fitted, table)),
    }
    if column := data["beside"]:
        joint = table_with_beside(data)
        rows = crossed_rows(best, fitted, joint.counts, column, joint.levels[-1])
        found["beside"] = list(rows)
    return found
