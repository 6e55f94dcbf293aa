"""How often would ten times as many restarts find a better optimum? On a sample of (structure, n)
pairs over all sizes.

Run as ``python tests/benchmarks/restarts.py [SAMPLE_PER_SIZE]``; prints one line per size and
method, and the totals.
"""

import sys
from pathlib import Path

import numpy as np
import yaml

from latentdag import Prior, Structure, enumerate_structures
from latentdag.counts import cell_counts
from latentdag.fits.restarts import Restarts
from latentdag.model import draw_study
from latentdag.scores import Task, map_scores, vb_scores

BETTER = 0.01  # nats


def main(sample: int) -> None:
    config = yaml.safe_load((Path(__file__).parents[2] / "workflow/config/study.yaml").read_text())
    true = Structure.from_label(config["true_structure"])
    draw = draw_study(true, Prior(), max(config["sizes"]), config["seed"])
    everyone = enumerate_structures()
    missed = {"map": [], "vb": []}
    for i, n in enumerate(config["sizes"]):
        # a different sample at every size, together covering all structures
        members = [
            everyone[k]
            for k in sorted({(i + j * len(config["sizes"])) % len(everyone) for j in range(sample)})
        ]
        task = Task(
            members, cell_counts(draw.cases[:n], true.family), Prior(), config["seed"], (0,)
        )
        own, more = (
            {
                m: Restarts(r["at_most"] * f, r["hits"] * f, config["max_iterations"])
                for m, r in config["restarts"].items()
            }
            for f in (1, 10)
        )
        fits, estimates = map_scores(task, own["map"])
        fits_more, estimates_more = map_scores(task, more["map"])
        vb, vb_more = (
            vb_scores(task, estimates, own["vb"]),
            vb_scores(task, estimates_more, more["vb"]),
        )
        objective = [s.score + s.log_prior for s in fits if s.method == "map"]
        objective_more = [s.score + s.log_prior for s in fits_more if s.method == "map"]
        gains = {
            "map": np.subtract(objective_more, objective),
            "vb": np.array([b.score - a.score for a, b in zip(vb, vb_more, strict=True)]),
        }
        for method, gain in gains.items():
            missed[method] += list(gain > BETTER)
            named = ", ".join(
                f"{s} {g:.2f}" for s, g in zip(members, gain, strict=True) if g > BETTER
            )
            print(
                f"n {n:5d} {method:3s}: {np.sum(gain > BETTER)} of {len(gain)} improved by more than {BETTER} nats {named}",
                flush=True,
            )
    for method, flags in missed.items():
        print(f"{method}: {np.sum(flags)} of {len(flags)} pairs ({100 * np.mean(flags):.2f} %)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
