"""Is the structure found that made a table of 12 binary variables, with 5 binary causes, and how
long does the command take?

Each cause has two or three children of its own, and two variables have two causes. A variable is 1
with probability 0.9 where its cause is, else with 0.1; of two causes 0.05, 0.5 and 0.95, by how
many are 1. Run as ``python workflow/experiments/many_variables.py [WIDTH]`` (5).
"""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from latentdag import Family, Parameters, Structure, score, simulate
from latentdag.engine.streams import generator

FAMILY = Family((2,) * 5, (2,) * 12)
TRUE = Structure.from_label("1-1-12-2-2-3-3-34-4-45-5-5", FAMILY)
N, SEED = 1000, 2003
ONES = {1: (0.1, 0.9), 2: (0.05, 0.5, 0.95)}  # p(1) by number of causes, and of those that are 1


def planted() -> np.ndarray:
    """The cases, (N, J)."""
    tables = []
    for parents in TRUE.parents:
        on = np.indices((2,) * len(parents)).sum(axis=0).ravel()  # causes that are 1, of each row
        p = np.array(ONES[len(parents)])[on]
        tables.append(np.column_stack([1 - p, p]))
    parameters = Parameters((np.array([0.5, 0.5]),) * len(FAMILY.hidden), tuple(tables))
    return simulate(TRUE, parameters, N, generator(SEED, "many variables"))[0]


def main(width: int) -> None:
    cases = planted()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cases.csv"
        names = ",".join(f"y{j + 1}" for j in range(cases.shape[1]))
        np.savetxt(path, cases, fmt="%d", delimiter=",", header=names, comments="")
        command = [
            *(sys.executable, "-m", "latentdag.command", "rank", str(path)),
            *("--hidden", ",".join(map(str, FAMILY.hidden)), "--search", str(width)),
            *("--method", "laplace", "--top", "3", "--format", "csv"),
        ]
        begin = time.perf_counter()
        done = subprocess.run(command, check=True, text=True, capture_output=True)
        seconds = time.perf_counter() - begin
    print(done.stderr.strip())
    print(f"{seconds:.0f} s")
    best = next(csv.DictReader(done.stdout.splitlines()))
    of_truth = score(cases, TRUE, "laplace").score
    print(f"best {best['structure']} {best['score']}; true {TRUE} {of_truth:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
