"""How well the best structure of each score fits, and which pairs of variables it misses."""

from functools import partial

from latentdag.analysis.fit import fit
from latentdag.study.design.files import read_cases, read_own_table, read_structures
from latentdag.study.own_data.fitted import chosen, fit_row, log_priors, residual_rows
from latentdag.study.schema import tables
from lib.job import on_cores, step


@step
def main(given, threads, model, equally_probable, settings, replicates):
    known = read_structures(given.structures, model)
    cases = read_cases(given.cases)
    table = read_own_table(given.variables, cases)
    posterior, scores = (tables.read(given[name], name) for name in ("posterior", "scores"))
    best = chosen(scores, log_priors(posterior, equally_probable))
    how = settings | {"replicates": replicates, "seed": model["seed"]}
    fits = on_cores(
        threads, partial(fit, method="ml", **how), ((cases, known[name]) for name in best)
    )
    found = dict(zip(best, fits, strict=True))
    rows = [fit_row(name, best[name], own, table) for name, own in found.items()]
    residuals = [row for name, own in found.items() for row in residual_rows(name, own, table)]
    return {"fit": rows, "residuals": residuals}
