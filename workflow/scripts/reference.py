"""Reference evidence of some structures at all sizes."""

import numpy as np

from latentdag import enumerate_structures
from latentdag.sampling.smc.evidence import log_evidence_in_groups
from latentdag.study import tables

from job import Progress, family_of, logged, prior_of, read_cases


def main(job):
    p, draw = job.params, int(job.wildcards.draw)
    cases = read_cases(job.input.cases, max(p.sizes))
    block, blocks = p.block
    # every blocks-th structure: the parts cost about the same
    structures = enumerate_structures(family_of(p.model))[block - 1 :: blocks]
    progress = Progress(f"reference, draw {draw}, part {block} of {blocks}", len(structures))
    rows = []
    for s in structures:
        evidence = log_evidence_in_groups(
            cases, s, p.sizes, prior_of(p.model), seed=p.model["seed"], key=(draw,), **p.settings
        )
        for n, value, error in zip(
            p.sizes, evidence.log_evidence, evidence.standard_error, strict=True
        ):
            known = (
                float(value),
                float(error),
                s.n_parameters,
                np.nan,
                np.nan,
                p.settings["runs"],
                np.nan,
                np.nan,
            )
            rows.append((draw, n, s.label, "reference", *known))
        progress.add(1)
    tables.write(job.output.scores, "scores", rows)


with logged(snakemake.log[0]):
    main(snakemake)
