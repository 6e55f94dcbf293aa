"""Annealed VBEM (thesis eq. 2.118 and 2.119) against restarts: which finds better optima in equally
many steps?

The annealed M step gives q(theta) the Dirichlet parameters alpha + beta times the expected counts.
A run takes one plain step at each beta of a schedule that rises to 1, and is then a fit of VBEM as
any other. Schedules: beta in equal steps ("linear"), or in equal ratios from 1 / n, the weight of
one case ("geometric"), of 32 or 128 steps. Runs begin where restarts of EM do, at parameters drawn
from the prior. Against them: 16 restarts of VBEM from the same draws, which set the number of
steps that each kind of run may take on a (structure, n) pair, and the sparse starts of the `vb`
score.

Run as ``python workflow/experiments/annealed.py [EVERY]``; every so manieth of the 136 structures,
7 if not given, at six sizes, on draws 0 and 1. Prints, by n and kind of run: in how many pairs its
best bound is better or worse than that of the restarts by more than 0.01 nats, the mean difference,
the share of runs that reach the best bound known of their pair, and the steps of one run.
"""

import sys
from collections import defaultdict

import common
import numpy as np
from scipy.special import psi

from latentdag import Prior, enumerate_structures
from latentdag.inference.em.fixed_point import maximise
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel
from latentdag.scores.base import Task

SIZES = (80, 230, 560, 1280, 2560, 10240)
DRAWS = (0, 1)
LENGTHS = (32, 128)  # of a schedule, in steps
RUNS = 16  # restarts, whose steps are what any kind of run may take
SAME = 0.01  # nats
NO_ANNEALING = np.empty(0)


def schedules(n: int) -> dict[str, np.ndarray]:
    """Rising values of beta that end at 1, by name of the schedule."""
    by_name = {}
    for length in LENGTHS:
        share = np.arange(1, length + 1) / length
        by_name[f"linear, {length}"] = share
        by_name[f"geometric, {length}"] = n ** (share - 1)
    return by_name


def annealed(
    kernel: Kernel, item: int, log_weights: np.ndarray, alpha: np.ndarray, betas: np.ndarray
) -> np.ndarray:
    """Log weights (I, H, F) after one step at each of ``betas``; ``alpha`` has shape (F,)."""
    result = np.array(log_weights)
    for part in kernel.parts(np.arange(len(result))):
        batch = kernel.batch(np.full(len(part), item))
        for beta in betas:
            _, counts = batch.expected_counts(np.exp(result[part]))
            u = alpha + beta * counts
            result[part] = psi(u) - batch.spread(psi(batch.row_sums(u)))
    return result


def runs(
    kernel: Kernel, item: int, start, alpha: np.ndarray, betas: np.ndarray, steps: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds in nats and steps of RUNS runs, or of as many as end within ``steps``
    (one, if none does).
    """
    bounds, taken = np.empty(0), np.empty(0, dtype=int)
    while len(bounds) == 0 or (steps is not None and taken.sum() < steps):
        starts = np.array([start(item, len(bounds) + r) for r in range(RUNS)])
        begun = annealed(kernel, item, starts, alpha, betas)
        fits = maximise(kernel, VBEM(alpha), np.full(RUNS, item), begun, 30_000)
        bounds = np.append(bounds, fits.objective)
        taken = np.append(taken, fits.iterations + len(betas))
    within = len(bounds) if steps is None else max(1, int(np.sum(np.cumsum(taken) <= steps)))
    return bounds[:within], taken[:within]


def main(every: int) -> None:
    structures = enumerate_structures()[3::every]
    # by (n, kind of run): its best bound less that of the restarts, share of runs at the best bound
    # known, steps of a run; one entry per draw and structure
    statistics = defaultdict(list)
    for draw in DRAWS:
        cases = common.cases_of(max(SIZES), draw)
        for n in SIZES:
            task = Task(structures, cases[:n], Prior(), common.SEED, (draw,))
            for kernel, members in task.kernels:
                alpha = kernel.prior_slots(task.prior)
                start = task.start(kernel, members)
                sparse = task.start(kernel, members, sparse=True)
                for item in range(len(members)):
                    restarts = runs(kernel, item, start, alpha, NO_ANNEALING, None)
                    steps = int(restarts[1].sum())
                    kinds = {"restarts": restarts}
                    for name, betas in schedules(n).items():
                        kinds[name] = runs(kernel, item, start, alpha, betas, steps)
                    kinds["sparse"] = runs(kernel, item, sparse, alpha, NO_ANNEALING, steps)
                    best = max(bounds.max() for bounds, _ in kinds.values())
                    for name, (bounds, taken) in kinds.items():
                        gain = bounds.max() - restarts[0].max()
                        row = gain, np.mean(bounds > best - SAME), taken.mean()
                        statistics[n, name].append(row)
                        statistics["all", name].append(row)
    rows = []
    for n in (*SIZES, "all"):
        for name in (name for size, name in statistics if size == n):
            gain, share, steps = np.array(statistics[n, name]).T
            counts = len(gain), np.sum(gain > SAME), np.sum(gain < -SAME)
            shares = f"{100 * share.mean():.0f} %", f"{steps.mean():.0f}"
            rows.append((n, name, *counts, f"{gain.mean():.3f}", *shares))
    common.print_table(
        "n | runs | pairs | better | worse | mean difference (nats) | at the best | steps", rows
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
