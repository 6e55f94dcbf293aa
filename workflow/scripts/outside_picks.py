"""Which structure each score picks on one draw of a truth, at every size."""

from latentdag import Prior, enumerate_structures
from latentdag.study.many_draws.outside import picks
from latentdag.study.schema import tables
from lib.job import logged

with logged(snakemake.log[0]):
    config, draw = snakemake.params.config, int(snakemake.wildcards.draw)
    names = ("sizes", "methods", "seed", "replicates", "settings")
    settings = {name: config[name] for name in names} | {"prior": Prior(config["alpha"])}
    rows = picks(snakemake.params.truth, draw, enumerate_structures(), **settings)
    tables.write(snakemake.output.outside_picks, "outside_picks", rows)
