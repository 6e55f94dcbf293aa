"""Which structure each score picks on one draw of a truth, at every size."""

from latentdag import Prior, enumerate_structures
from latentdag.study.many_draws.outside import picks
from lib.job import tabulate


def main(snakemake):
    p = snakemake.params
    names = ("sizes", "methods", "seed", "replicates", "settings")
    given = {name: p.config[name] for name in names} | {"prior": Prior(p.config["alpha"])}
    draw = int(snakemake.wildcards.draw)
    return {"outside_picks": picks(p.truth, draw, enumerate_structures(), **given)}


tabulate(snakemake, main)
