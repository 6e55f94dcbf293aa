"""How often does the search find the best structure, and after scoring what share of all? Held
against enumeration on simulated tables with a true structure of their own.

Run as ``python tests/benchmarks/searches.py [TABLES]``; prints one line per family and score.
"""

import sys

import numpy as np

from latentdag import Family, Prior, enumerate_structures, score_structures, search
from latentdag.model import draw_study

FAMILIES = (Family(), Family((2, 2, 2), (2, 2, 2, 2)))
METHODS = ("vb", "laplace", "bic")
N, WIDTH, SAME = 480, 3, 1e-6  # cases; structures kept; nats
EFFORT = {"restarts": 24, "hits": 3}


def main(n_tables: int) -> None:
    print(f"{n_tables} tables of {N} cases, width {WIDTH}")
    for family in FAMILIES:
        everyone = enumerate_structures(family)
        found = {method: [] for method in METHODS}
        for table in range(n_tables):
            rng = np.random.default_rng(table)
            true = everyone[rng.integers(len(everyone))]
            cases = draw_study(true, Prior(), N, seed=2003, draw=table).cases
            for method in METHODS:
                scores = score_structures(cases, everyone, method, **EFFORT)
                best = max(s.score for s in scores)
                seen = search(cases, family, method, width=WIDTH, **EFFORT)
                share = len(seen.ranking.scores) / len(everyone)
                found[method].append((best - seen.best.score, share))
        for method, own in found.items():
            missed, share = np.transpose(own)
            print(
                f"{len(family.hidden)} x {len(family.observed)}, {len(everyone)} structures, "
                f"{method}: best found in {np.sum(missed < SAME)} of {n_tables}, at most "
                f"{missed.max():.2f} nats below; {share.mean():.0%} scored"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
