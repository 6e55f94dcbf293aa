"""Accuracy for processor time: the reference, the bridge and AIS side by side, as the study runs
them.

For the true structure at n = 80, 480 and 10240, each method from REPEATS seeds: processor seconds
of one score, standard deviation over the seeds, bias against the reference (ln of the mean of all
its estimates), root mean square error and its square times the seconds. The last is what a method
needs for an error of 1 nat, in seconds; less is better. Prints a table.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import time

import numpy as np

from latentdag import Prior, Structure, score
from latentdag.engine.log_mean import log_mean_exp
from latentdag.model.parameters import draw_study

TRUE = Structure.from_label("1-12-12-2")
SIZES, METHODS, REPEATS = (80, 480, 10240), ("reference", "bridge", "ais"), 8


def main() -> None:
    draw = draw_study(TRUE, Prior(), max(SIZES), seed=2003)
    print("| n | method | seconds | deviation | bias | error | error^2 x seconds |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for n in SIZES:
        cases, evidence = draw.cases[:n], None
        for method in METHODS:
            score(cases, TRUE, method, seed=0)  # compile
            begin = time.process_time()
            found = [score(cases, TRUE, method, seed=seed).score for seed in range(1, REPEATS + 1)]
            seconds = (time.process_time() - begin) / REPEATS
            evidence = evidence or log_mean_exp(found)[0]
            bias, deviation = np.mean(found) - evidence, np.std(found, ddof=1)
            error = np.hypot(bias, deviation)
            print(
                f"| {n} | {method} | {seconds:.2f} | {deviation:.3f} | {bias:+.3f} | {error:.3f} "
                f"| {error**2 * seconds:.2g} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
