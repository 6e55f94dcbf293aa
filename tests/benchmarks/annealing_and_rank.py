"""Whether slower annealing takes away the noise of AIS's rank (paper sec. 4.2).

The paper puts the noise down to annealing that may be too rapid. Here AIS scores all 136 structures
at all sizes of draw 0 with 1024 to 65536 temperatures, 16 chains each, RUNS times. Writes
results/experiments/annealing_and_rank.csv: the rank of the true structure. Half an hour on two
cores; prints each row.
"""

from itertools import product
from pathlib import Path

import joblib
import numpy as np

from latentdag import Prior, Structure, draw_study, enumerate_structures
from latentdag.scores import JOBS, run_job
from latentdag.scores.base import Task
from latentdag.study.one_draw.ranks import rank
from latentdag.study.schema import tables

RESULTS = Path(__file__).parents[2] / "results"
RESULT = RESULTS / "experiments" / "annealing_and_rank.csv"
STEPS, CHAINS, RUNS, SEED = (1024, 4096, 16384, 65536), 16, 4, 2003
SIZES = (10, 20, 40, 80, 110, 160, 230, 320, 400, 430)
SIZES += (480, 560, 640, 800, 960, 1120, 1280, 2560, 5120, 10240)
TRUE = Structure.from_label("1-12-12-2")


def values(task: Task, steps: int) -> np.ndarray:
    """ln evidence by AIS, (sizes, structures)."""
    scores, _ = run_job(JOBS["ais"], task, {"steps": steps, "chains": CHAINS}, methods=["ais"])
    return np.array([s.score for s in scores]).reshape(len(task.sizes), len(task.structures))


def main() -> None:
    cases = draw_study(TRUE, Prior(), max(SIZES), SEED).cases
    structures = enumerate_structures()
    each = joblib.Parallel(n_jobs=-1)
    rows = []
    for steps, run in product(STEPS, range(RUNS)):
        tasks = (Task([s], cases, Prior(), SEED, (0, run), SIZES) for s in structures)
        found = np.hstack(each(joblib.delayed(values)(task, steps) for task in tasks))
        for n, r in zip(SIZES, rank(found, structures.index(TRUE)), strict=True):
            rows.append({"steps": steps, "run": run, "n": n, "rank": int(r)})
            print(*rows[-1].values(), flush=True)
    RESULT.parent.mkdir(exist_ok=True)
    tables.write(RESULT, "annealing_and_rank", rows)


if __name__ == "__main__":
    main()
