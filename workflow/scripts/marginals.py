"""Probabilities of hidden causes, and of pairs of variables that share one."""

from latentdag.study.design.files import read_structures
from latentdag.study.own_data.marginals import causes, links
from latentdag.study.schema import tables
from latentdag.study.schema.candidates import variable_names
from lib.job import step


@step
def main(structures, variables, posterior, model):
    posterior, of_study = tables.read(posterior, "posterior"), read_structures(structures, model)
    names = variable_names(tables.read(variables, "variables"))
    return {"causes": causes(posterior, of_study), "links": links(posterior, of_study, names)}
