"""Bounds on both sides of the evidence, where hidden states that are a posterior draw are known:
those behind the data.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from latentdag import Structure, enumerate_structures, simulate
from latentdag.engine.streams import generator
from latentdag.inference.particles.evidence import log_evidence_upper
from latentdag.model.parameters import draw_parameters
from latentdag.scores.base import Task
from latentdag.scores.reference import JOB
from latentdag.study.design.files import read_cases
from latentdag.study.design.model import family_of, prior_of, task_of
from latentdag.study.schema import tables
from lib.job import Progress, logged


def bounds(p, task: Task, states, sizes: Iterable[int]) -> Iterator[dict]:
    """Rows of the table: an estimate is a stochastic lower bound, and runs with as many particles
    that retain the true ``states`` give an upper one.
    """
    [structure] = task.structures
    for n in sizes:
        below = JOB.run(task.truncated(n), p.settings, {})[structure.label]
        above = log_evidence_upper(
            task.cases[:n],
            states[:n],
            structure,
            task.prior,
            below.particles,
            p.upper_runs,
            task.seed,
            task.key,
        )
        yield {
            "draw": task.key[0],
            "n": n,
            "structure": structure.label,
            "lower": below.log_evidence,
            "lower_error": below.standard_error,
            "upper": above.log_evidence,
            "upper_error": above.standard_error,
            "gap": above.log_evidence - below.log_evidence,
        }


def sample(everyone: list[Structure], true: Structure, n: int) -> list[Structure]:
    """Structures other than the true one, spread over the range of parameters."""
    others = [s for s in everyone if s != true and len(s.without_childless().family.hidden) > 1]
    places = np.linspace(0, len(others) - 1, min(n, len(others))).astype(int)
    return [others[i] for i in places]


with logged(snakemake.log[0]):
    p, draw = snakemake.params, snakemake.params.draw
    family = family_of(p.model)
    true = Structure.from_label(p.true_structure, family)
    others = sample(enumerate_structures(family), true, p.others)
    progress = Progress(f"sandwich, draw {draw}", 1 + len(others))
    cases, states = (
        read_cases(snakemake.input[name], max(p.sizes)) for name in ("cases", "states")
    )
    rows = list(bounds(p, task_of(p.model, [true], cases, draw), states, p.sizes))
    progress.add(1)
    sizes = sorted(p.other_sizes)
    for s in others:
        rng = generator(p.model["seed"], "sandwich", draw, s.label)
        cases, states = simulate(s, draw_parameters(s, prior_of(p.model), rng), sizes[-1], rng)
        rows += bounds(p, task_of(p.model, [s], cases, draw, "own data"), states, sizes)
        progress.add(1)
    rows.sort(key=lambda row: (row["n"], row["structure"]))
    tables.write(snakemake.output.sandwich, "sandwich", rows)
