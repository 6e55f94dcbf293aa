"""Each half-step of EM and of VBEM for the true structure."""

from latentdag import Structure
from latentdag.analysis.climb import climbs
from latentdag.scores.base import Task
from lib.files import family_of, prior_of, read_cases
from lib.job import tabulate


def main(snakemake):
    p, draw = snakemake.params, int(snakemake.wildcards.draw)
    structure = Structure.from_label(p.true_structure, family_of(p.model))
    cases = read_cases(snakemake.input.cases, p.n)
    task = Task([structure], cases, prior_of(p.model), p.model["seed"], (draw,))
    about = {"draw": draw, "n": p.n, "structure": structure.label}
    return {"climb": [about | step._asdict() for step in climbs(task)]}


tabulate(snakemake, main)
