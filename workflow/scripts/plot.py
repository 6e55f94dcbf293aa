"""Draw one figure from tables."""

from latentdag import Structure
from latentdag.figures import FIGURES
from latentdag.figures.style import save
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import with_evidence
from lib.files import family_of
from lib.job import logged


def main(snakemake):
    p = snakemake.params
    arguments = {name: tables.read(snakemake.input[name], name) for name in p.tables}
    if "scores" in arguments:
        known = arguments.pop("evidence", None)
        arguments["scores"] = with_evidence(arguments["scores"], known)
    arguments |= p.arguments
    if "family" in arguments:
        arguments["family"] = family_of(arguments)
    if "structure" in arguments:
        family = arguments.pop("family")
        arguments["structure"] = Structure.from_label(arguments["structure"], family)
    save(FIGURES[p.figure](**arguments), snakemake.output.png, snakemake.output.pdf)


with logged(snakemake.log[0]):
    main(snakemake)
