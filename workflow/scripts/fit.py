"""How well the best structure of each score fits, and which pairs of variables it misses."""

from functools import partial

from latentdag.analysis.fit import fit
from latentdag.study.own_data.fitted import chosen, fit_row, log_priors, residual_rows
from latentdag.study.schema import tables
from lib.files import read_cases, read_own_table, read_structures
from lib.job import on_cores, tabulate


def main(snakemake):
    p = snakemake.params
    known = read_structures(snakemake.input.structures, p.model)
    cases = read_cases(snakemake.input.cases)
    table = read_own_table(snakemake.input.variables, cases)
    posterior = tables.read(snakemake.input.posterior, "posterior")
    scores = tables.read(snakemake.input.scores, "scores")
    best = chosen(scores, log_priors(posterior, p.equally_probable))
    settings = p.settings | {"replicates": p.replicates, "seed": p.model["seed"]}
    fitted = partial(fit, method="ml", **settings)
    fits = on_cores(snakemake.threads, fitted, ((cases, known[name]) for name in best))
    found = dict(zip(best, fits, strict=True))
    rows = [fit_row(name, best[name], own, table) for name, own in found.items()]
    residuals = [row for name, own in found.items() for row in residual_rows(name, own, table)]
    return {"fit": rows, "residuals": residuals}


tabulate(snakemake, main)
