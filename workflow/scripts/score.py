"""Run one job on its share of the structures, at one size after another: its scores, the time that
they took, and what else it leaves.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from math import nan

import numpy as np

from latentdag import Structure
from latentdag.engine.files import atomic_write
from latentdag.scores import JOBS, METHODS, run_job
from latentdag.scores.base import REACH, Reach, Task, find_reach
from latentdag.study.design.files import read_cases, read_rows, read_structures
from latentdag.study.design.model import task_of
from latentdag.study.schema import tables
from lib.job import Progress, batches, logged, on_cores


def share(structures: list[Structure], item: str) -> list[Structure]:
    """Those of the ``structures`` that a job of a scatter item takes, such as 2-of-8; none where
    there are more items than structures.

    All items cost about the same: the second of eight takes the second structure and every eighth
    after it, of the structures by their number of causes.
    """
    place, number = map(int, item.split("-of-"))
    ordered = sorted(structures, key=lambda s: len(s.without_childless().family.hidden))
    return ordered[place - 1 :: number]


def reach_by_size(p, paths: Iterable[str]) -> dict[int, Reach]:
    """What is within reach at each size, from files with the scores of all structures (``paths``);
    ``p`` are the rule's parameters.
    """
    by_job = defaultdict(dict)  # score and standard error of each structure, by method and size
    for path in paths:
        for row in read_rows(path):
            values = (float(row[name] or nan) for name in ("score", "standard_error"))
            by_job[row["method"], int(row["n"])][row["structure"]] = tuple(values)
    reach = {}
    for n in p.sizes:
        scores = {name: score for name, (score, _) in by_job[REACH, n].items()}
        evidence = by_job["reference", n]
        reach[n] = find_reach(scores, p.true_structure, **p.reach, evidence=evidence)
    return reach


def chosen(p, by_name: dict[str, Structure], reach: dict[int, Reach], n: int) -> list[Structure]:
    """The structures that the job scores at ``n`` cases, of all ``by_name``: all, those within
    ``reach`` at this size, or some that the job chooses; ``p`` are the rule's parameters.
    """
    structures = list(by_name.values())
    if p.of_all:
        return structures
    if reach:
        return [s for name, s in by_name.items() if name in reach[n].labels]
    return JOBS[p.job].some(structures, p.true_structure and by_name[p.true_structure], n)


def parts(
    p, cases, draw, structures, names, starts: dict, reach, n_workers: int, **common
) -> Iterator[tuple[Task, dict, dict[str, str]]]:
    """The ``structures`` by size in parts at one size after another, or at all sizes of a job that
    spans them: a task, its ``starts`` by job and label, and its ``names`` by label. ``p`` are the
    rule's parameters, ``cases`` (n, J) those of the ``draw``, ``starts`` by job and then by size
    and name, ``reach`` by size; ``common`` goes to `latentdag.study.design.model.task_of`.
    """
    job, together = JOBS[p.job], JOBS[p.job].spans_sizes(p.settings)
    for sizes in [tuple(p.sizes)] if together else [(n,) for n in p.sizes]:
        n = sizes[-1]
        how = common | {"sizes": sizes if together else None, "reach": reach.get(n)}
        for part in batches(structures[n], job.together, n_workers):
            keys = {s.label: f"{n}/{names[s]}" for s in part}
            of_part = {
                name: {label: kept[key] for label, key in keys.items() if key in kept}
                for name, kept in starts.items()
            }
            task = task_of(p.model, part, cases, draw, **how).truncated(n)
            yield task, of_part, {s.label: names[s] for s in part}


def score_part(
    name: str,
    settings: dict,
    methods: Sequence[str],
    task: Task,
    starts: dict,
    names: dict[str, str],
):
    """The scores of ``methods`` of one part, a ``task``, by the job ``name``, and the wall seconds
    that they took; the estimates by size and name, and the rows of each further table, that go with
    them, by the ``names`` of structures in the study. ``starts`` are by job and label.
    """
    job, began = JOBS[name], time.perf_counter()
    scores, findings = run_job(job, task, settings, starts, methods)
    estimates = job.estimates(findings) if job.estimates else {}
    estimates = {f"{task.n}/{names[label]}": values for label, values in estimates.items()}
    (draw,) = task.key
    rows = {
        table: [
            {"draw": draw} | row | {"structure": names[row["structure"]]}
            for row in rows_of(task, findings)
        ]
        for table, rows_of in job.tables.items()
    }
    return scores, time.perf_counter() - began, estimates, rows


with logged(snakemake.log[0]):
    files, output, p = snakemake.input, snakemake.output, snakemake.params
    job, draw, threads = JOBS[p.job], int(snakemake.wildcards.draw), snakemake.threads
    cases = read_cases(files.cases, max(p.sizes))
    of_own_data = files.structures  # the file of simulated ones is not needed: they are all
    by_name = read_structures(of_own_data or None, p.model)
    names = {structure: name for name, structure in by_name.items()}
    reach = reach_by_size(p, files.reach) if p.reach else {}
    item = snakemake.wildcards.scatteritem
    structures = {n: share(chosen(p, by_name, reach, n), item) for n in p.sizes}
    what = f"{job.name}, draw {draw}, structures {item}"
    progress = Progress(what, sum(map(len, structures.values())))
    # only this process writes to the log
    report = progress.add if threads == 1 else None
    common = {"only_used": bool(of_own_data), "report": report}
    starts = {}  # by job, its estimates by size and structure
    for name in job.needs:
        with np.load(files[name]) as stored:
            starts[name] = dict(stored)
    score_one = partial(score_part, job.name, p.settings, p.scores or METHODS)
    pieces = parts(p, cases, draw, structures, names, starts, reach, threads, **common)
    scores, estimates, rows = [], {}, {table: [] for table in job.tables}
    seconds = dict.fromkeys(p.sizes, 0.0)
    for new, spent, its_estimates, its_rows in on_cores(threads, score_one, pieces):
        scores += new
        estimates |= its_estimates
        for table in rows:
            rows[table] += its_rows[table]
        sizes = {score.n for score in new}
        for n in sizes:  # of a job that spans sizes all that is known is their sum
            seconds[n] += spent / len(sizes)
        progress.reach(len({(score.structure, score.n) for score in scores}))
    scores.sort(key=lambda score: p.sizes.index(score.n))  # a part may give several sizes
    written = [{"draw": draw} | s.row() | {"structure": names[s.structure]} for s in scores]
    if of_own_data:
        for score, row in zip(scores, written, strict=True):
            row["n_parameters"] = score.structure.without_childless().n_parameters
    if path := output.get("estimates"):
        with atomic_write(path) as unfinished, unfinished.open("wb") as file:
            np.savez(file, **estimates)
    times = [{"draw": draw, "n": n, "job": job.name, "seconds": s} for n, s in seconds.items()]
    for table, its_rows in {"scores": written, "seconds": times, **rows}.items():
        tables.write(output[table], table, its_rows)
