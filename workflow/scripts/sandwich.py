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
from lib.files import family_of, prior_of, read_cases
from lib.job import Progress, tabulate


def bounds(p, draw, task: Task, states, sizes: Iterable[int]) -> Iterator[dict]:
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
            "draw": draw,
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


def main(snakemake):
    p, draw = snakemake.params, int(snakemake.wildcards.draw)
    prior, family, seed = prior_of(p.model), family_of(p.model), p.model["seed"]
    true = Structure.from_label(p.true_structure, family)
    others = sample(enumerate_structures(family), true, p.others)
    progress = Progress(f"sandwich, draw {draw}", 1 + len(others))
    cases = read_cases(snakemake.input.cases, max(p.sizes))
    states = read_cases(snakemake.input.states, max(p.sizes))
    own = Task([true], cases, prior, seed, (draw,))
    rows = list(bounds(p, draw, own, states, p.sizes))
    progress.add(1)
    sizes = sorted(p.other_sizes)
    for s in others:
        rng = generator(seed, "sandwich", draw, s.label)
        cases, states = simulate(s, draw_parameters(s, prior, rng), sizes[-1], rng)
        own = Task([s], cases, prior, seed, (draw, "own data"))
        rows += bounds(p, draw, own, states, sizes)
        progress.add(1)
    return {"sandwich": rows}


tabulate(snakemake, main)
