"""Whether slower annealing takes away the noise of AIS's rank (paper sec. 4.2).

The paper puts the noise down to annealing that may be too rapid. Here AIS scores all 136 structures
at all sizes of draw 0 with 1024 to 65536 temperatures, 16 chains each, RUNS times. Writes
results/experiments/annealing_and_rank.csv: the rank of the true structure. Half an hour on two
cores; prints each row.
"""

from collections.abc import Iterator
from itertools import product

import common
import joblib
import numpy as np
from common import SEED, TRUE

from latentdag import Prior, enumerate_structures
from latentdag.scores import JOBS, run_job
from latentdag.scores.base import Task
from latentdag.study.one_draw.ranks import rank

RESULT = common.EXPERIMENTS / "annealing_and_rank.csv"
STEPS, CHAINS, RUNS = (1024, 4096, 16384, 65536), 16, 4
SIZES = tuple(common.study_sizes())


def values(task: Task, steps: int) -> np.ndarray:
    """ln evidence by AIS, (sizes, structures)."""
    scores, _ = run_job(JOBS["ais"], task, {"steps": steps, "chains": CHAINS}, methods=["ais"])
    return np.array([s.score for s in scores]).reshape(len(task.sizes), len(task.structures))


def rows() -> Iterator[dict]:
    cases, structures = common.cases_of(max(SIZES)), enumerate_structures()
    each = joblib.Parallel(n_jobs=-1)
    for steps, run in product(STEPS, range(RUNS)):
        tasks = (Task([s], cases, Prior(), SEED, (0, run), SIZES) for s in structures)
        log_weights = np.hstack(each(joblib.delayed(values)(task, steps) for task in tasks))
        for n, r in zip(SIZES, rank(log_weights, structures.index(TRUE)), strict=True):
            yield {"steps": steps, "run": run, "n": n, "rank": int(r)}


if __name__ == "__main__":
    common.write(RESULT, rows())
