"""Accuracy for the same processor time: the reference's collapsed sequential Monte Carlo against
AIS as the paper runs it.

For the true structure at n = 480 and 2560: root mean square error, in nats, of one run of the
reference and of as many AIS chains of 16384 steps as fit in its time, both against the mean of all
the reference's runs. Prints a table.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import time

import numpy as np

from latentdag import Prior, Structure
from latentdag.model import draw_study
from latentdag.sampling.smc.evidence import log_evidence_path
from latentdag.scores import JOBS, compute
from latentdag.scores.base import Task
from latentdag.stats import log_mean_exp

TRUE = Structure.from_label("1-12-12-2")
REPEATS, STEPS = 16, 16384
PARTICLES = JOBS["reference"].defaults()["particles"]


def timed(function):
    begin = time.process_time()
    result = function()
    return result, time.process_time() - begin


def root_mean_square(errors) -> float:
    return float(np.sqrt(np.mean(np.square(errors))))


def main() -> None:
    draw = draw_study(TRUE, Prior(), 2560, seed=2003)
    log_evidence_path(draw.cases[:10], TRUE, [10], Prior(), 16, 2)  # compile
    print(
        f"{'n':>5s} {'seconds':>8s} {'reference, nats':>16s} {'AIS chains':>11s} "
        f"{'AIS, nats':>10s} {'ratio':>6s}"
    )
    for n in (480, 2560):
        reference, seconds = timed(
            lambda n=n: log_evidence_path(
                draw.cases[:n], TRUE, [n], Prior(), PARTICLES, REPEATS, seed=1
            )
        )
        budget = seconds / REPEATS
        task = Task([TRUE], draw.cases[:n], seed=1)
        _, per_chain = timed(
            lambda task=task: compute(task, ["ais"], {"steps": STEPS, "chains": 48})
        )
        chains = max(1, round(budget / (per_chain / 48)))
        _, found = compute(task, ["ais"], {"steps": STEPS, "chains": REPEATS * chains})
        runs = found["ais"]
        groups = runs[TRUE.label].log_weights.reshape(REPEATS, chains)
        evidence = reference.log_evidence.item()
        own = root_mean_square(reference.by_run - evidence)
        theirs = root_mean_square([log_mean_exp(w)[0] - evidence for w in groups])
        print(
            f"{n:5d} {budget:8.2f} {own:16.3f} {chains:11d} {theirs:10.2f} {theirs / own:6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
