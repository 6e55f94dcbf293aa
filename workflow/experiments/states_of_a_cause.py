"""How many states a hidden cause has (paper sec. 1.1), with a known truth.

One cause with three states of four variables with five values each; parameters and cases drawn anew
in each of DRAWS draws, at four sizes. Each score takes the number of states from 1 (no cause) to
6 at which it is highest. Writes results/experiments/states_of_a_cause.csv. Ten minutes on two
cores.
"""

from itertools import product

import common
import joblib
import numpy as np

from latentdag import Family, Prior, Structure, draw_study
from latentdag.scores import compute
from latentdag.scores.base import Task

RESULT = common.EXPERIMENTS / "states_of_a_cause.csv"
DRAWS, SIZES, SEED = 100, (160, 640, 2560, 10240), common.SEED
OBSERVED, TRUE_STATES, MOST_STATES = (5, 5, 5, 5), 3, 6
METHODS = ("map", "bic", "cs", "laplace", "cs_lr", "vb", "vb_lr", "vb_collapsed", "vb_mix")
METHODS += ("ais", "reference")


def with_states(states: int) -> Structure:
    """One cause of all variables with so many states; with 1, no cause."""
    if states == 1:
        return Structure.from_label("0-0-0-0", Family((2,), OBSERVED))
    return Structure.from_label("1-1-1-1", Family((states,), OBSERVED))


def chosen(draw: int, n: int) -> list[dict]:
    """The row of each of METHODS; no number where some number of states has no score."""
    cases = draw_study(with_states(TRUE_STATES), Prior(), max(SIZES), SEED, draw).cases[:n]
    scores, rows = [], []
    for states in range(1, MOST_STATES + 1):
        task = Task([with_states(states)], cases, Prior(), SEED, (draw,))
        scores.append([s.score for s in compute(task, METHODS)[0]])
    for method, values in zip(METHODS, np.transpose(scores), strict=True):
        states = None if np.isnan(values).any() else 1 + int(np.argmax(values))
        rows.append({"draw": draw, "n": n, "method": method, "states_chosen": states})
    return rows


def rows() -> list[dict]:
    of = product(range(DRAWS), SIZES)
    parts = joblib.Parallel(n_jobs=-1, verbose=1)(joblib.delayed(chosen)(d, n) for d, n in of)
    return [row for part in parts for row in part]


if __name__ == "__main__":
    common.write(RESULT, rows())
