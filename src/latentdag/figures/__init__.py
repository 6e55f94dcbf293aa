"""The figures of a study: pure functions from tables to a matplotlib Figure.

Each figure is a file with one public function of the same name, such as `rank.rank`, which takes
tables (DataFrames) by their names and reads only these. No statistic is computed here: what no
table has comes from `latentdag.study`. `style` says how scores look and saves figures, `layout`
places what is on a page, `graph` draws a structure, `band` a line in its band. `over_draws` has
what the figures over many draws share. Which scores a figure draws,
in which order and under which names, is declared with the scores: see `Spec.figures`.
"""

from collections.abc import Callable, Mapping

from latentdag.figures import (
    accuracy,
    annealing,
    best_structures,
    cases_needed,
    climb,
    equal_modes,
    error_over_draws,
    found,
    profiles,
    rank,
    rank_over_draws,
    reliability,
    scores,
    shared_causes,
    tightness,
    true_structure,
)

FIGURES: Mapping[str, Callable] = {
    "true_structure": true_structure.true_structure,
    "scores": scores.scores,
    "rank": rank.rank,
    "annealing": annealing.annealing,
    "tightness": tightness.tightness,
    "climb": climb.climb,
    "equal_modes": equal_modes.equal_modes,
    "best_structures": best_structures.best_structures,
    "profiles": profiles.profiles,
    "shared_causes": shared_causes.shared_causes,
    "cases_needed": cases_needed.cases_needed,
    "found": found.found,
    "rank_over_draws": rank_over_draws.rank_over_draws,
    "error_over_draws": error_over_draws.error_over_draws,
    "reliability": reliability.reliability,
    "accuracy": accuracy.accuracy,
}
