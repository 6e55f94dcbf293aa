"""Bounds on both sides of the evidence, where hidden states that are a posterior draw are known:
those behind the data.
"""

from collections.abc import Iterator

import numpy as np

from latentdag import Structure, enumerate_structures, simulate
from latentdag.model import draw_parameters
from latentdag.sampling.smc.bounds import log_evidence_upper
from latentdag.sampling.smc.evidence import (
    LogEvidence,
    log_evidence_in_groups,
    log_evidence_path,
)
from latentdag.streams import generator
from latentdag.study import tables
from lib.files import family_of, prior_of, read_codes
from lib.job import Progress, logged


def bounds(
    p, draw, structure, cases, states, sizes, below: LogEvidence, key: tuple
) -> Iterator[dict]:
    """Rows of the table: an estimate is a stochastic lower bound, and a run that retains the true
    states gives an upper one.
    """
    lowers, errors = below.log_evidence.tolist(), below.standard_error.tolist()
    for n, lower, error in zip(sizes, lowers, errors, strict=True):
        particles, seed = p.settings["particles"], p.model["seed"]
        above = log_evidence_upper(
            cases[:n],
            states[:n],
            structure,
            prior_of(p.model),
            particles,
            p.upper_runs,
            seed,
            key,
        )
        upper = above.log_evidence.item()
        yield {
            "draw": draw,
            "n": n,
            "structure": structure.label,
            "lower": lower,
            "lower_error": error,
            "upper": upper,
            "upper_error": above.standard_error.item(),
            "gap": upper - lower,
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
    cases = read_codes(snakemake.input.cases, max(p.sizes))
    states = read_codes(snakemake.input.states, max(p.sizes))
    key = (draw,)
    below = log_evidence_in_groups(cases, true, p.sizes, prior, **p.settings, seed=seed, key=key)
    rows = list(bounds(p, draw, true, cases, states, p.sizes, below, key))
    progress.add(1)
    sizes, key = sorted(p.other_sizes), (draw, "own data")
    effort = [p.settings[name] for name in ("particles", "runs")]
    for s in others:
        rng = generator(seed, "sandwich", draw, s.label)
        own_cases, own_states = simulate(s, draw_parameters(s, prior, rng), sizes[-1], rng)
        below = log_evidence_path(
            own_cases, s, sizes, prior, *effort, seed, (*key, f"to {sizes[-1]}")
        )
        rows += bounds(p, draw, s, own_cases, own_states, sizes, below, key)
        progress.add(1)
    tables.write(snakemake.output.table, "sandwich", rows)


with logged(snakemake.log[0]):
    main(snakemake)
