"""How well the best structure of each score fits, and which pairs of variables it misses."""

from functools import partial

from latentdag.analysis.fit import fit
from latentdag.study.design.files import read_cases, read_structures, read_user_table
from latentdag.study.own_data.fitted import chosen, fit_row, log_priors, residual_rows
from latentdag.study.schema import tables
from lib.job import logged, on_cores

with logged(snakemake.log[0]):
    files, params = snakemake.input, snakemake.params
    structures = read_structures(files.structures, params.model)
    table = read_user_table(files.variables, read_cases(files.cases))
    posterior, scores = (tables.read(files[name], name) for name in ("posterior", "scores"))
    best = chosen(scores, log_priors(posterior, params.equally_probable))
    how = params.settings | {"replicates": params.replicates, "seed": params.model["seed"]}
    pieces = ((table, structures[name]) for name in best)
    fits = on_cores(snakemake.threads, partial(fit, method="ml", **how), pieces)
    fits = dict(zip(best, fits, strict=True))
    rows = [fit_row(name, best[name], its, table) for name, its in fits.items()]
    residuals = [row for name, its in fits.items() for row in residual_rows(name, its, table)]
    tables.write(snakemake.output.fit, "fit", rows)
    tables.write(snakemake.output.residuals, "residuals", residuals)
