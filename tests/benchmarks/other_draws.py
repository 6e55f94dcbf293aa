"""Cheap scores beside the evidence on draws other than the study's: error and order.

Draws 1 to 6 of the study's seed, 27 of the 136 structures, four sizes; the study's settings. Prints
a table: for each score and size the mean absolute error in nats and Spearman's rank correlation
with the reference, each as its mean over the draws and the standard error of that mean. Some three
minutes.
"""

import numpy as np
from scipy.stats import spearmanr

from latentdag import Prior, Structure, enumerate_structures
from latentdag.model.parameters import draw_study
from latentdag.scores import compute
from latentdag.scores.base import Task

SEED, DRAWS, SIZES = 2003, range(1, 7), (20, 80, 480, 1280)
METHODS = ("vb", "vb_collapsed", "vb_mix", "vb_lr", "laplace", "cs_lr")
TRUE = Structure.from_label("1-12-12-2")


def errors_and_orders(draw: int, n: int, structures: list[Structure]) -> np.ndarray:
    """Mean absolute error and rank correlation of each of METHODS, (methods, 2)."""
    cases = draw_study(TRUE, Prior(), max(SIZES), SEED, draw).cases[:n]
    task = Task(structures, cases, Prior(), SEED, (draw,))
    scores, _ = compute(task, (*METHODS, "reference"))
    by_method = {
        method: np.array([s.score for s in scores if s.method == method])
        for method in (*METHODS, "reference")
    }
    reference = by_method["reference"]
    return np.array(
        [
            (np.abs(by_method[m] - reference).mean(), spearmanr(by_method[m], reference).statistic)
            for m in METHODS
        ]
    )


def main() -> None:
    structures = enumerate_structures()[2::5]
    print("| score |" + "".join(f" n = {n}: error | order |" for n in SIZES))
    print("| --- |" + " --- | --- |" * len(SIZES))
    found = np.array([[errors_and_orders(d, n, structures) for n in SIZES] for d in DRAWS])
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(len(DRAWS))
    for k, method in enumerate(METHODS):
        cells = [
            f"{mean[i, k, which]:.{digits}f} ± {error[i, k, which]:.{digits}f}"
            for i in range(len(SIZES))
            for which, digits in ((0, 1), (1, 2))
        ]
        print(f"| `{method}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
