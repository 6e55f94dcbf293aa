"""Each half-step of EM and of VBEM for the true structure."""

from latentdag import Structure
from latentdag.analysis.climb import climbs
from latentdag.study.design.files import read_cases
from latentdag.study.design.model import family_of, task_of
from lib.job import step


@step
def main(cases, draw, model, true_structure, n):
    structure = Structure.from_label(true_structure, family_of(model))
    task = task_of(model, [structure], read_cases(cases, n), draw)
    about = {"draw": draw, "n": n, "structure": structure.label}
    return {"climb": [about | half_step._asdict() for half_step in climbs(task)]}
