"""Probabilities of hidden causes, and of pairs of variables that share one."""

from latentdag.study.design.files import read_structures
from latentdag.study.own_data.marginals import causes, links
from latentdag.study.schema import tables
from latentdag.study.schema.candidates import variable_names
from lib.job import logged

with logged(snakemake.log[0]):
    files = snakemake.input
    posterior = tables.read(files.posterior, "posterior")
    structures = read_structures(files.structures, snakemake.params.model)
    names = variable_names(tables.read(files.variables, "variables"))
    tables.write(snakemake.output.causes, "causes", causes(posterior, structures))
    tables.write(snakemake.output.links, "links", links(posterior, structures, names))
