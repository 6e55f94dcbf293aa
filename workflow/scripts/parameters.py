"""Fitted parameters of the most probable structure, with intervals, and to which states it assigns
the cases, beside a column of the file if one is given; and parameters of published models if there
are some.
"""

from latentdag.analysis.fit import Fit, fit
from latentdag.analysis.posterior_draws import TooManyNames
from latentdag.study.own_data.fitted import beside_rows, membership_rows, parameter_rows
from latentdag.study.own_data.published import latent_classes
from latentdag.study.schema import tables
from latentdag.study.schema.candidates import name
from lib.files import (
    observed_of,
    prior_of,
    read_cases,
    read_own_table,
    read_structures,
    with_beside,
)
from lib.job import tabulate


def with_draws(cases, structure, kind: str, draws: int, **settings) -> Fit:
    """A fit with posterior draws, or without where the states have too many names."""
    try:
        return fit(cases, structure, kind, draws=draws, **settings)
    except TooManyNames as error:
        print(f"no intervals: {error}")
        return fit(cases, structure, kind, **settings)


def main(snakemake):
    p = snakemake.params
    known = read_structures(snakemake.input.structures, p.model)
    cases = read_cases(snakemake.input.cases)
    table = read_own_table(snakemake.input.variables, cases)
    posterior = tables.read(snakemake.input.posterior, "posterior")
    own = posterior[posterior["method"] == p.method]
    best = own.loc[own["probability"].idxmax(), "structure"]
    wanted = [("map", best, known[best])]
    for classes in sorted({model["classes"] for model in p.data["published"] or ()}):
        structure = latent_classes(classes, observed_of(p.model))
        wanted.append(("ml", name(structure, several=True), structure))
    prior = prior_of(p.model)
    settings = {"alpha": prior.alpha, "alpha_hidden": prior.alpha_hidden, "seed": p.model["seed"]}
    found = {"parameters": []}
    for kind, label, structure in wanted:
        restarts = p.restarts[kind]
        fitted = with_draws(cases, structure, kind, p.draws, restarts=restarts, **settings)
        found["parameters"] += parameter_rows(label, fitted, table)
        if kind == "map":
            found["membership"] = list(membership_rows(label, fitted, table))
            if column := p.data["beside"]:
                joint = with_beside(p.data)
                rows = beside_rows(label, fitted, joint.counts, column, joint.levels[-1])
                found["beside"] = list(rows)
    return found


tabulate(snakemake, main)
