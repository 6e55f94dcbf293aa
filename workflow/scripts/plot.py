"""Draw one figure from tables."""

from latentdag import Structure
from latentdag.drawing.style import save
from latentdag.figures import FIGURES
from latentdag.study.design.model import family_of
from latentdag.study.schema import tables
from latentdag.study.schema.evidence import join_evidence
from lib.job import logged

with logged(snakemake.log[0]):
    params = snakemake.params
    arguments = {name: tables.read(snakemake.input[name], name) for name in params.tables}
    if "scores" in arguments:
        evidence = arguments.pop("evidence", None)
        arguments["scores"] = join_evidence(arguments["scores"], evidence)
    if one_chain := snakemake.input.get("one_chain"):
        arguments["one_chain"] = tables.read(one_chain, "found")
    arguments |= params.arguments
    if "structure" in arguments:
        family = family_of({"family": arguments.pop("family")})
        arguments["structure"] = Structure.from_label(arguments["structure"], family)
    figure = FIGURES[params.figure](**arguments)
    save(figure, snakemake.output.png, snakemake.output.pdf)
