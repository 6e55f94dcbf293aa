"""The figures of a study, one file each: pure functions from tables to a matplotlib Figure.

Each takes tables by their names (DataFrames) and reads only these. `style` says how scores look and
saves figures; `graph` draws a structure. Which scores a figure draws, in which order and under
which names, is declared with the scores (`Spec.figures`).
"""

from collections.abc import Callable, Mapping

from latentdag.figures import (
    annealing,
    best_structures,
    rank,
    scores,
    tightness,
    true_structure,
)

FIGURES: Mapping[str, Callable] = {
    "true_structure": true_structure.true_structure,
    "scores": scores.scores,
    "rank": rank.rank,
    "annealing": annealing.annealing,
    "tightness": tightness.tightness,
    "best_structures": best_structures.best_structures,
}
