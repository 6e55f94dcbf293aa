"""Which structure each score picks on one draw of a truth, at every size."""

from latentdag import Prior, enumerate_structures
from latentdag.study.many_draws.outside import picks
from lib.job import step


@step
def main(draw, truth, config):
    names = ("sizes", "methods", "seed", "replicates", "settings")
    settings = {name: config[name] for name in names} | {"prior": Prior(config["alpha"])}
    return {"outside_picks": picks(truth, draw, enumerate_structures(), **settings)}
