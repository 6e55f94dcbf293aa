"""Processor time of every score per structure: of the job that it is read off, and of reading it.

On draw 0 of the study, with the study's settings, at n = 80, 480 and 10240; all 136 structures, but
what takes structures one by one on 4: AIS, the reference, and the exact evidence at the size at
which the study has it. A job's time leaves out the jobs whose estimates it
starts from. One run; prints a table and writes results/experiments/cost.csv.
"""

import time
from collections.abc import Iterator, Sequence

import common
import numpy as np

from latentdag import Structure, enumerate_structures
from latentdag.scores import JOBS, compute, jobs_needed, scores_of
from latentdag.scores.base import Job, Task

RESULT = common.EXPERIMENTS / "cost.csv"
SIZES, EXACT_SIZES = (80, 480, 10240), (10,)
FEW = 4  # structures for jobs that take them one by one
# to compile loops and fill caches before anything is timed; fewer chains have a loop of their own
SHORT = {"restarts": 2, "steps": 16, "chains": 16, "particles": 8, "runs": 2}


def is_monte_carlo(job: Job) -> bool:
    return any(spec.monte_carlo for spec in scores_of(job))


def sample(structures: Sequence[Structure], job: Job) -> list[Structure]:
    """The structures to measure a job on, spread over all."""
    one_by_one = is_monte_carlo(job) or job.sizes_key is not None
    n = FEW if one_by_one else min(job.together, len(structures))
    middles = (np.arange(n) + 0.5) * len(structures) / n  # of as many equal parts
    return [structures[int(i)] for i in middles]


def costs(
    cases: np.ndarray, structures: Sequence[Structure], jobs: Sequence[Job]
) -> Iterator[dict]:
    """Rows at one size: every score of some jobs, each of which stands after those it needs."""
    findings = {}
    for job in jobs:
        task = Task(sample(structures, job), cases, seed=common.SEED)
        starts = {needed: JOBS[needed].estimates(findings[needed]) for needed in job.needs}
        begin = time.process_time()
        findings[job.name] = job.run(task, job.defaults(), starts)
        ran = time.process_time() - begin
        for spec in scores_of(job):
            begin = time.process_time()
            n_scores = len(list(spec.read(task, findings[job.name])))
            read = time.process_time() - begin
            job_time, score_time = (1e3 * seconds / n_scores for seconds in (ran, read))
            times = {"job_milliseconds": job_time, "score_milliseconds": score_time}
            yield {"method": spec.name, "n": task.n} | times


def rows() -> Iterator[dict]:
    structures, cases = enumerate_structures(), common.cases_of(max(SIZES))
    for job in JOBS.values():
        compute(Task([common.TRUE], cases[:10]), [spec.name for spec in scores_of(job)], SHORT)
    for n in sorted({*SIZES, *EXACT_SIZES}):
        names = [name for name, job in JOBS.items() if (n in EXACT_SIZES) == bool(job.sizes_key)]
        yield from costs(cases[:n], structures, jobs_needed(names))


if __name__ == "__main__":
    common.write(RESULT, rows())
