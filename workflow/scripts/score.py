"""Run one job on one block of structures: its scores, and what else it leaves."""

from collections.abc import Iterable
from itertools import starmap

import numpy as np

from latentdag import Structure, enumerate_structures
from latentdag.files import whole
from latentdag.scores import JOBS, run_job
from latentdag.scores.base import Job, Task
from latentdag.study import tables
from lib.files import family_of, prior_of, read_codes
from lib.job import Progress, logged


def members(everyone: list[Structure], job: Job, block: int, n_blocks: int) -> list[Structure]:
    """The structures of a block, from 1.

    A batch holds structures with the same hidden variables: they stand side by side. A job that
    spans all sizes has no batches: its first block takes the first structure and every
    ``n_blocks``-th after it, and so on, as then all blocks cost about the same.
    """
    if job.spans_sizes:
        return everyone[block - 1 :: n_blocks]
    ordered = sorted(everyone, key=lambda s: len(s.without_childless().family.hidden))
    return [ordered[i] for i in np.array_split(np.arange(len(ordered)), n_blocks)[block - 1]]


def parts(structures: list[Structure], job: Job, n_workers: int) -> list[list[Structure]]:
    """The structures in as many parts as the job can take at once, and at least one per worker."""
    n_parts = max(-(-len(structures) // job.together), min(n_workers, len(structures)))
    split = np.array_split(np.arange(len(structures)), n_parts)
    return [[structures[i] for i in part] for part in split]


def run(name: str, task: Task, settings: dict, starts: dict, draw: int):
    """Scores of one part; the estimates, and the rows of each further table, that go with them."""
    job = JOBS[name]
    scores, found = run_job(job, task, settings, starts)
    estimates = job.estimates(found) if job.estimates else {}
    rows = {
        table: [{"draw": draw} | row for row in rows_of(task, found)]
        for table, rows_of in job.tables.items()
    }
    return scores, estimates, rows


def on_cores(n: int, work: Iterable[tuple]) -> Iterable[tuple]:
    """What `run` gives for each piece of work, in this order."""
    if n == 1:
        yield from starmap(run, work)
        return
    # a quarter of a second to import: only where it is used
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    yield from Parallel(n, return_as="generator")(delayed(run)(*piece) for piece in work)
    get_reusable_executor().shutdown()  # what has ended counts in the processor time


def main(snakemake):
    p, wildcards, output = snakemake.params, snakemake.wildcards, snakemake.output
    job, draw = JOBS[p.job], int(wildcards.draw)
    sizes = tuple(p.sizes) if job.spans_sizes else (int(wildcards.n),)
    cases = read_codes(snakemake.input.cases, max(sizes))
    everyone = enumerate_structures(family_of(p.model))
    structures = members(everyone, job, int(wildcards.block), p.blocks)
    starts = {name: dict(np.load(snakemake.input[name])) for name in job.needs}
    what = f"{job.name}, draw {draw}, {'all sizes' if job.spans_sizes else f'{sizes[0]} cases'}"
    progress = Progress(what, len(structures))
    # only this process writes to the log
    report = progress.add if snakemake.threads == 1 else None
    common = {"prior": prior_of(p.model), "seed": p.model["seed"], "key": (draw,)}
    common |= {"sizes": sizes if job.spans_sizes else None, "report": report}
    work = (
        (job.name, Task(part, cases, **common), p.settings, starts, draw)
        for part in parts(structures, job, snakemake.threads)
    )
    scores, estimates, rows = [], {}, {table: [] for table in job.tables}
    for new, its_estimates, its_rows in on_cores(snakemake.threads, work):
        scores += new
        estimates |= its_estimates
        for table in rows:
            rows[table] += its_rows[table]
        progress.reach(len({score.structure for score in scores}))
    scores.sort(key=lambda score: sizes.index(score.n))  # each part gives all sizes
    tables.write(output.scores, "scores", ({"draw": draw} | score.row() for score in scores))
    for table in rows:
        tables.write(output[table], table, rows[table])
    if path := output.get("estimates"):
        with whole(path) as partial, partial.open("wb") as file:
            np.savez(file, **estimates)


with logged(snakemake.log[0]):
    main(snakemake)
