"""Each half-step of EM and of VBEM for the true structure."""

from latentdag import Structure
from latentdag.study.design.files import read_cases
from latentdag.study.design.model import family_of, task_of
from latentdag.study.schema import tables
from latentdag.study.teaching.climb import climbs
from lib.job import logged

with logged(snakemake.log[0]):
    params = snakemake.params
    structure = Structure.from_label(params.true_structure, family_of(params.model))
    cases = read_cases(snakemake.input.cases, params.n)
    task = task_of(params.model, [structure], cases, params.draw)
    about = {"draw": params.draw, "n": params.n, "structure": structure.label}
    rows = [about | half_step._asdict() for half_step in climbs(task)]
    tables.write(snakemake.output.climb, "climb", rows)
