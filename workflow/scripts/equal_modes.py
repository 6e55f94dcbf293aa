"""The posterior of two parameters with two equal modes, and approximations to it."""

from latentdag.study.design.model import prior_of
from latentdag.study.schema import tables
from latentdag.study.teaching import equal_modes
from lib.job import logged

with logged(snakemake.log[0]):
    model = snakemake.params.model
    cases = equal_modes.simulated(model["seed"])
    densities = equal_modes.densities(cases, prior_of(model), model["seed"])
    tables.write(snakemake.output.equal_modes, "equal_modes", equal_modes.rows(densities))
