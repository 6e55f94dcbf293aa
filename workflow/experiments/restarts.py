"""How often would ten times as many restarts find a better optimum? On a sample of (structure, n)
pairs over all sizes.

Run as ``python workflow/experiments/restarts.py [SAMPLE_PER_SIZE]``; prints one line per size and
method, and the totals.
"""

import sys
from math import isnan

import common
import numpy as np

from latentdag import enumerate_structures
from latentdag.scores import JOBS, run_job
from latentdag.scores.base import Score, Task

BETTER = 0.01  # nats
SIZES = common.study_sizes()
METHODS = ("map", "ml", "vb", "vb_mf", "vb_eb")  # each after those that it starts from


def fits_of(task: Task, factor: int) -> dict[str, list[Score]]:
    """The scores of METHODS with so many times the restarts of the study, and its hits."""
    estimates, scores = {}, {}
    for name in METHODS:
        settings = JOBS[name].defaults()
        if "hits" in settings:  # vb_mf has no starts of its own
            settings |= {key: settings[key] * factor for key in ("restarts", "hits")}
        of_job, findings = run_job(JOBS[name], task, settings, estimates)
        if JOBS[name].estimates:
            estimates[name] = JOBS[name].estimates(findings)
        scores[name] = [s for s in of_job if s.method == name]
    return scores


def objective(score: Score) -> float:
    """What the fit maximises, in nats: of ``map`` the density of the logits is a part."""
    return score.score + (0 if isnan(score.log_prior) else score.log_prior)


def main(sample: int) -> None:
    everyone = enumerate_structures()
    cases, missed = common.cases_of(max(SIZES)), {method: [] for method in METHODS}
    for i, n in enumerate(SIZES):
        # a different sample at every size, together covering all structures
        chosen = sorted({(i + j * len(SIZES)) % len(everyone) for j in range(sample)})
        members = [everyone[k] for k in chosen]
        task = Task(members, cases[:n], seed=common.SEED)
        few, more = (fits_of(task, factor) for factor in (1, 10))
        for method in METHODS:
            gain = np.subtract(*([objective(s) for s in fits[method]] for fits in (more, few)))
            missed[method] += list(gain > BETTER)
            named = [f"{s} {g:.2f}" for s, g in zip(members, gain, strict=True) if g > BETTER]
            words = f"improved by more than {BETTER} nats {', '.join(named)}"
            print(f"n {n:5d} {method:5s}: {len(named)} of {len(gain)} {words}", flush=True)
    for method, flags in missed.items():
        print(f"{method}: {np.sum(flags)} of {len(flags)} pairs ({100 * np.mean(flags):.2f} %)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
