"""Run one job on one block of structures, at one size after another: its scores, the time that they
took, and what else it leaves.
"""

import time
from collections.abc import Iterable, Iterator
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
    """The structures of a block, from 1; none where there are more blocks.

    A batch holds structures with the same hidden variables: they stand side by side. A job that
    takes long is spread so that all blocks cost about the same: the first block takes the first
    structure and every ``n_blocks``-th after it, and so on.
    """
    if job.jobs is not None:
        return everyone[block - 1 :: n_blocks]
    ordered = sorted(everyone, key=lambda s: len(s.without_childless().family.hidden))
    return [ordered[i] for i in np.array_split(np.arange(len(ordered)), n_blocks)[block - 1]]


def parts(structures: list[Structure], job: Job, n_workers: int) -> list[list[Structure]]:
    """The structures in as many parts as the job can take at once, and at least one per worker."""
    n_parts = max(-(-len(structures) // job.together), min(n_workers, len(structures)), 1)
    split = np.array_split(np.arange(len(structures)), n_parts)
    return [[structures[i] for i in part] for part in split]


def starts_at(n: int, files: dict[str, str]) -> dict[str, dict[str, np.ndarray]]:
    """By job the estimates that it left at one size, by structure."""
    found = {}
    for job, path in files.items():
        with np.load(path) as stored:
            own = [name for name in stored.files if name.startswith(f"{n}/")]
            found[job] = {name.removeprefix(f"{n}/"): stored[name] for name in own}
    return found


def at_sizes(p, block: int) -> dict[int, list[Structure]]:
    """The structures of a block that the job scores, by size."""
    job, family = JOBS[p.job], family_of(p.model)
    everyone = enumerate_structures(family)
    true = p.true_structure and Structure.from_label(p.true_structure, family)
    chosen = {n: job.some(everyone, true, n) if job.some else everyone for n in p.sizes}
    return {n: members(own, job, block, p.blocks) for n, own in chosen.items()}


def work(p, cases, structures, n_workers: int, needed: dict[str, str], **common) -> Iterator[tuple]:
    """What `run` takes, for one part of the ``structures`` by size at one size after another; of a
    job that spans sizes at all of them.
    """
    job, sizes = JOBS[p.job], tuple(p.sizes)
    together = job.spans_sizes(p.settings)
    for these in [sizes] if together else [(n,) for n in sizes]:
        starts = starts_at(these[-1], needed)
        spanned = these if together else None
        for part in filter(None, parts(structures[these[-1]], job, n_workers)):
            task = Task(part, cases[: these[-1]], sizes=spanned, **common)
            yield job.name, task, p.settings, starts


def run(name: str, task: Task, settings: dict, starts: dict):
    """Scores of one part, and seconds that they took; the estimates, and the rows of each further
    table, that go with them.
    """
    job, began = JOBS[name], time.perf_counter()
    scores, found = run_job(job, task, settings, starts)
    estimates = job.estimates(found) if job.estimates else {}
    estimates = {f"{task.n}/{label}": values for label, values in estimates.items()}
    (draw,) = task.key
    rows = {
        table: [{"draw": draw} | row for row in rows_of(task, found)]
        for table, rows_of in job.tables.items()
    }
    return scores, time.perf_counter() - began, estimates, rows


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
    cases = read_codes(snakemake.input.cases, max(p.sizes))
    structures = at_sizes(p, int(wildcards.block))
    what = f"{job.name}, draw {draw}, {wildcards.sizes} cases"
    progress = Progress(what, sum(map(len, structures.values())))
    # only this process writes to the log
    report = progress.add if snakemake.threads == 1 else None
    common = {"prior": prior_of(p.model), "seed": p.model["seed"], "key": (draw,)}
    needed = {name: snakemake.input[name] for name in job.needs}
    pieces = work(p, cases, structures, snakemake.threads, needed, report=report, **common)
    scores, estimates, rows = [], {}, {table: [] for table in job.tables}
    seconds = dict.fromkeys(p.sizes, 0.0)
    for new, spent, its_estimates, its_rows in on_cores(snakemake.threads, pieces):
        scores += new
        estimates |= its_estimates
        for table in rows:
            rows[table] += its_rows[table]
        sizes = {score.n for score in new}
        for n in sizes:  # of a job that spans sizes all that is known is their sum
            seconds[n] += spent / len(sizes)
        progress.reach(len({(score.structure, score.n) for score in scores}))
    scores.sort(key=lambda score: p.sizes.index(score.n))  # a part may give several sizes
    tables.write(output.scores, "scores", ({"draw": draw} | score.row() for score in scores))
    times = [{"draw": draw, "n": n, "job": job.name, "seconds": s} for n, s in seconds.items()]
    tables.write(output.seconds, "seconds", times)
    for table in rows:
        tables.write(output[table], table, rows[table])
    if path := output.get("estimates"):
        with whole(path) as partial, partial.open("wb") as file:
            np.savez(file, **estimates)


with logged(snakemake.log[0]):
    main(snakemake)
