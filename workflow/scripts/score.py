"""Score one block of structures on one data set by one method."""

from types import SimpleNamespace

import numpy as np
from joblib import Parallel, delayed

from latentdag import enumerate_structures
from latentdag.counts import cell_counts
from latentdag.files import whole
from latentdag.fits.restarts import Restarts
from latentdag.scores import Score, Task, ais_scores, exact, map_scores, ml_scores, vb_scores
from latentdag.study import tables

from job import Progress, family_of, logged, prior_of, read_cases

PART = {
    "map": 136,
    "ml": 136,
    "vb": 136,
    "ais": 16,
    "exact": 136,
}  # structures scored together, at most


def members(p):
    """The structures of this block, those with the same hidden variables side by side: a batch
    holds no others.
    """
    everyone = sorted(
        enumerate_structures(family_of(p.model)),
        key=lambda s: len(s.without_childless().family.hidden),
    )
    block, blocks = p.block
    return [everyone[i] for i in np.array_split(np.arange(len(everyone)), blocks)[block - 1]]


def run(p, cases, structures, estimates, report):
    """Scores of some structures, and what else their method leaves behind."""
    prior = prior_of(p.model)
    if p.method == "exact":
        values = exact.log_evidence(cases, structures, prior)
        return [Score(s, "exact", v.item()) for s, v in zip(structures, values, strict=True)], {}
    task = Task(
        structures,
        cell_counts(cases, structures[0].family),
        prior,
        p.model["seed"],
        (p.draw,),
        report,
    )
    if p.method == "ais":
        return ais_scores(task, p.settings["steps"], p.settings["chains"])
    restarts = Restarts(p.settings["at_most"], p.settings["hits"], p.settings["max_iterations"])
    if p.method == "map":
        return map_scores(task, restarts)
    if p.method == "ml":
        return ml_scores(task, restarts), {}
    return vb_scores(task, estimates, restarts), {}


def main(job):
    p = SimpleNamespace(**dict(job.params.items()))
    cases = read_cases(job.input.cases, p.n)
    structures = members(p)
    estimates = dict(np.load(job.input.estimates)) if p.method == "vb" else {}
    n_parts = max(-(-len(structures) // PART[p.method]), min(job.threads, len(structures)))
    parts = [
        [structures[i] for i in part]
        for part in np.array_split(np.arange(len(structures)), n_parts)
    ]
    progress = Progress(f"{p.method}, draw {p.draw}, {p.n} cases", len(structures))
    report = (
        progress.add if job.threads == 1 else None
    )  # another process has no way to this one's log
    scores, more = [], {}
    work = (delayed(run)(p, cases, part, estimates, report) for part in parts)
    for part_scores, part_more in Parallel(n_jobs=job.threads, return_as="generator")(work):
        scores += part_scores
        more |= part_more
        progress.reach(len({s.structure for s in scores}))
    write(job.output, p, scores, more)


def write(output, p, scores, more):
    if p.method == "map":
        with whole(output.estimates) as partial, partial.open("wb") as file:
            np.savez(file, **more)
    if p.method == "ais":
        each = [(s.structure.label, more[s.structure.label]) for s in scores]
        tables.write(
            output.chains,
            "ais_chains",
            [
                (p.draw, p.n, label, c, float(w))
                for label, chains in each
                for c, w in enumerate(chains.log_weights)
            ],
        )
        tables.write(
            output.acceptance,
            "ais_acceptance",
            [
                (p.draw, p.n, label, part + 1, float(temperature), float(rate))
                for label, chains in each
                for part, (temperature, rate) in enumerate(
                    zip(
                        chains.temperatures.mean(axis=0),
                        chains.acceptance.mean(axis=0),
                        strict=True,
                    )
                )
            ],
        )
    rows = [
        (
            p.draw, p.n, s.structure.label, s.method, s.score, s.standard_error, s.n_parameters,
            s.iterations, s.converged, s.restarts, s.restarts_at_best, s.log_prior,
        )
        for s in scores
    ]  # fmt: skip
    tables.write(output.scores, "scores", rows)


with logged(snakemake.log[0]):
    main(snakemake)
