"""Bounds on both sides of the evidence, where hidden states that are a posterior draw are known:
those behind the data.
"""

import numpy as np

from latentdag import Structure, enumerate_structures, simulate
from latentdag.model import draw_parameters
from latentdag.sampling.smc.evidence import log_evidence_in_groups, log_evidence_upper
from latentdag.streams import generator
from latentdag.study import tables

from job import Progress, family_of, logged, prior_of, read_cases


def bounds(p, draw, structure, cases, states, sizes, key):
    """Rows of the table: the estimate is a stochastic lower bound, and a run that retains the true
    states gives an upper one.
    """
    prior, seed = prior_of(p.model), p.model["seed"]
    settings = {name: p.settings[name] for name in ("particles", "runs", "alone_from")}
    below = log_evidence_in_groups(cases, structure, sizes, prior, seed=seed, key=key, **settings)
    for n, lower, lower_error in zip(sizes, below.log_evidence, below.standard_error, strict=True):
        above = log_evidence_upper(
            cases[:n],
            states[:n],
            structure,
            prior,
            p.settings["particles"],
            p.settings["upper_runs"],
            seed,
            key,
        )
        upper, upper_error = above.log_evidence.item(), above.standard_error.item()
        yield (
            draw,
            n,
            structure.label,
            float(lower),
            float(lower_error),
            upper,
            upper_error,
            upper - float(lower),
        )


def main(job):
    p, draw = job.params, int(job.wildcards.draw)
    everyone = enumerate_structures(family_of(p.model))
    true = Structure.from_label(p.true_structure, family_of(p.model))
    others = [s for s in everyone if s != true and len(s.without_childless().family.hidden) > 1]
    # spread over the range of parameters
    sample = [
        others[i]
        for i in np.linspace(0, len(others) - 1, min(p.settings["others"], len(others))).astype(int)
    ]
    progress = Progress(f"sandwich, draw {draw}", 1 + len(sample))
    cases, states = (read_cases(path, max(p.sizes)) for path in (job.input.cases, job.input.states))
    rows = list(bounds(p, draw, true, cases, states, p.sizes, (draw,)))
    progress.add(1)
    for s in sample:
        rng = generator(p.model["seed"], "sandwich", draw, s.label)
        sizes = sorted(p.settings["other_sizes"])
        own_cases, own_states = simulate(
            s, draw_parameters(s, prior_of(p.model), rng), max(sizes), rng
        )
        rows += bounds(p, draw, s, own_cases, own_states, sizes, (draw, "own data"))
        progress.add(1)
    tables.write(job.output.table, "sandwich", rows)


with logged(snakemake.log[0]):
    main(snakemake)
