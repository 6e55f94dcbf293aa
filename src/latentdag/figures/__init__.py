"""The figures of a study: pure functions from tables to a matplotlib Figure.

Each figure is a file with one public function of the same name, such as `rank.rank`, which takes
tables (DataFrames) by their names and reads only these. `style` says how scores look and saves
figures, `layout` places what is on a page, `graph` draws a structure. Which scores a figure draws,
in which order and under which names, is declared with the scores: see `Spec.figures`.
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
