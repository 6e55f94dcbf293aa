"""Accuracy for processor time: the reference, tempered SMC and AIS side by side, as the study runs
them.

For the true structure at n = 80, 480 and 10240, each method from REPEATS seeds: processor seconds
of one score, standard deviation over the seeds, bias against the reference (ln of the mean of all
its estimates), root mean square error and its square times the seconds. The last is what a method
needs for an error of 1 nat, in seconds; less is better. Prints a table.
"""

import time
from collections.abc import Iterator

import common
import numpy as np

from latentdag import score
from latentdag.engine.log_mean import log_mean_exp

SIZES, METHODS, REPEATS = (80, 480, 10240), ("reference", "tempered_smc", "ais"), 8


def row(n: int, method: str, cases: np.ndarray, evidence: float | None) -> tuple[list, float]:
    """A row of the table, and the evidence: by the method's own estimates if it is not known."""
    score(cases, common.TRUE, method, seed=0)  # compile
    begin = time.process_time()
    estimates = [score(cases, common.TRUE, method, seed=s).score for s in range(1, REPEATS + 1)]
    seconds = (time.process_time() - begin) / REPEATS
    evidence = evidence or log_mean_exp(estimates)[0]
    bias, deviation = np.mean(estimates) - evidence, np.std(estimates, ddof=1)
    error = np.hypot(bias, deviation)
    numbers = f"{seconds:.2f}", f"{deviation:.3f}", f"{bias:+.3f}", f"{error:.3f}"
    return [n, method, *numbers, f"{error**2 * seconds:.2g}"], evidence


def rows() -> Iterator[list]:
    cases = common.cases_of(max(SIZES))
    for n in SIZES:
        evidence = None
        for method in METHODS:
            cells, evidence = row(n, method, cases[:n], evidence)
            yield cells


def main() -> None:
    common.print_table(
        "n | method | seconds | deviation | bias | error | error^2 x seconds", rows()
    )


if __name__ == "__main__":
    main()
