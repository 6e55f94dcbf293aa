"""The posterior of two parameters with two equal modes, and approximations to it."""

from latentdag.analysis import equal_modes
from latentdag.study.design.model import prior_of
from lib.job import step


@step
def main(model):
    cases = equal_modes.simulated(model["seed"])
    found = equal_modes.densities(cases, prior_of(model), model["seed"])
    return {"equal_modes": equal_modes.rows(found)}
