"""The posterior of two parameters with two equal modes, and approximations to it."""

from latentdag.analysis import equal_modes
from lib.files import prior_of
from lib.job import tabulate


def main(snakemake):
    p = snakemake.params
    cases = equal_modes.simulated(p.model["seed"])
    found = equal_modes.densities(cases, prior_of(p.model), p.model["seed"])
    return {"equal_modes": equal_modes.rows(found)}


tabulate(snakemake, main)
