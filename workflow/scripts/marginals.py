"""What the posterior says of the causes, and of pairs of observed variables that share one."""

from latentdag.study.own_data.marginals import causes, links
from latentdag.study.schema import tables
from lib.files import read_structures
from lib.job import logged


def main(snakemake):
    known = read_structures(snakemake.input.structures, snakemake.params.model)
    variables = tables.read(snakemake.input.variables, "variables")
    names = variables.drop_duplicates("variable")["name"].tolist()
    posterior = tables.read(snakemake.input.posterior, "posterior")
    tables.write(snakemake.output.causes, "causes", causes(posterior, known))
    tables.write(snakemake.output.links, "links", links(posterior, known, names))


with logged(snakemake.log[0]):
    main(snakemake)
