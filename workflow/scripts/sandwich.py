"""Bounds on both sides of the evidence, where hidden states that are a posterior draw are known:
those behind the data.
"""

from latentdag import Structure, enumerate_structures, simulate
from latentdag.analysis.sandwich import bounds, other_structures
from latentdag.engine.streams import generator
from latentdag.model.parameters import draw_parameters
from latentdag.study.design.files import read_cases
from latentdag.study.design.model import family_of, prior_of, task_of
from latentdag.study.schema import tables
from lib.job import Progress, logged

with logged(snakemake.log[0]):
    p, draw = snakemake.params, snakemake.params.draw
    family = family_of(p.model)
    true = Structure.from_label(p.true_structure, family)
    others = other_structures(enumerate_structures(family), true, p.others)
    progress = Progress(f"sandwich, draw {draw}", 1 + len(others))
    cases, states = (
        read_cases(snakemake.input[name], max(p.sizes)) for name in ("cases", "states")
    )
    runs = {"settings": p.settings, "upper_runs": p.upper_runs}
    rows = list(bounds(task_of(p.model, [true], cases, draw), states, p.sizes, **runs))
    progress.add(1)
    sizes = sorted(p.other_sizes)
    for s in others:
        rng = generator(p.model["seed"], "sandwich", draw, s.label)
        cases, states = simulate(s, draw_parameters(s, prior_of(p.model), rng), sizes[-1], rng)
        task = task_of(p.model, [s], cases, draw, "own data")
        rows += bounds(task, states, sizes, **runs)
        progress.add(1)
    rows.sort(key=lambda row: (row["n"], row["structure"]))
    tables.write(snakemake.output.sandwich, "sandwich", rows)
