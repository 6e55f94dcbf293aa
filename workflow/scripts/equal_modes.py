"""The posterior of two parameters with two equal modes, and approximations to it."""

from latentdag.analysis import equal_modes
from latentdag.study.schema import tables
from lib.files import prior_of
from lib.job import logged


def main(snakemake):
    p = snakemake.params
    cases = equal_modes.simulated(p.model["seed"])
    found = equal_modes.densities(cases, prior_of(p.model), p.model["seed"])
    tables.write(snakemake.output.table, "equal_modes", equal_modes.rows(found))
    print(f"{len(cases)} cases")


with logged(snakemake.log[0]):
    main(snakemake)
