"""The evidence with alpha integrated out (thesis 2.3.2): do ranks and probabilities change?

Every score so far fixes alpha = 1, which the paper does not state. Here alpha, with alpha_hidden
equal to it, is log-uniform from 1/4 to 4: the evidence is the mean of the evidences at ALPHAS,
equally spaced in ln alpha, by the trapezoidal rule. Draws 0 to 10 of the paper's structure, whose
parameters come from alpha 1; three sizes; the reference, and VB and `cs_lr` for comparison. The
reference runs for the structures within reach, as in the populations: those that `cs_lr` has at
most NATS below its best at some alpha, and the true one. Beyond them it has no score.

Each draw is kept when it is done, in results/experiments/alpha_integrated/, so that a run that is
started again goes on: `python workflow/experiments/alpha_integrated.py` for all draws, or with
numbers of draws for these. Writes results/experiments/alpha_integrated.csv of all draws that are
kept. Hours.
"""

import sys
from collections.abc import Iterator
from math import hypot

import common
import numpy as np
import pandas as pd
from scipy.special import logsumexp

from latentdag import Prior, enumerate_structures
from latentdag.ranking.probabilities import normalise
from latentdag.scores import compute
from latentdag.scores.base import REACH, Reach, Task, find_reach
from latentdag.study.schema import tables

RESULT = common.EXPERIMENTS / "alpha_integrated.csv"
KEPT = common.EXPERIMENTS / "alpha_integrated"
DRAWS, SIZES = range(11), (80, 480, 1280)
ALPHAS = tuple(float(alpha) for alpha in np.geomspace(1 / 4, 4, 7))
CHEAP = ("vb", REACH)
NATS, TARGET, MOST_CASES = 30.0, 0.3, 1280  # of workflow/config/draws.yaml, key reach
EFFORT = {"restarts": 24, "hits": 3}
REFERENCE = {"runs": 8, "most_runs": 128}
INTEGRATED = "integrated"


def weights() -> np.ndarray:
    """Those of ALPHAS: the trapezoidal rule in ln alpha, which sum to 1."""
    inside = np.ones(len(ALPHAS))
    inside[[0, -1]] = 0.5
    return inside / inside.sum()


def of_draw(draw: int) -> pd.DataFrame:
    """Scores by n, alpha, structure and method, nats, each alpha with random streams of its own."""
    cases, everyone, rows = common.cases_of(max(SIZES), draw), enumerate_structures(), []
    for n in SIZES:
        at = {
            alpha: Task(everyone, cases[:n], Prior(alpha), common.SEED, (draw, "alpha", k))
            for k, alpha in enumerate(ALPHAS)
        }
        scores = {alpha: compute(task, CHEAP, EFFORT)[0] for alpha, task in at.items()}
        labels = set()
        for of_alpha in scores.values():
            cheap = {s.structure.label: s.score for s in of_alpha if s.method == REACH}
            labels |= find_reach(cheap, common.TRUE.label, NATS, TARGET, MOST_CASES).labels
        for alpha, task in at.items():
            reach = Reach(frozenset(labels), TARGET, MOST_CASES)
            within = [s for s in everyone if s.label in labels]
            within = Task(within, task.cases, task.prior, task.seed, task.key, reach=reach)
            scores[alpha] += compute(within, ["reference"], REFERENCE)[0]
        rows += [
            (n, alpha, s.structure.label, s.method, s.score, s.standard_error)
            for alpha, of_alpha in scores.items()
            for s in of_alpha
        ]
        print(f"draw {draw}, n {n}: {len(labels)} structures within reach", flush=True)
    return pd.DataFrame(rows, columns=["n", "alpha", "structure", "method", "score", "error"])


def integrated(scores: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln of the weighted mean of exp(scores) over alphas, (A, S) to (S,), and its standard error:
    errors at different alphas are independent.
    """
    log_weights = np.log(weights())[:, None] + scores
    total = logsumexp(log_weights, axis=0)
    return total, np.sqrt(np.sum((np.exp(log_weights - total) * errors) ** 2, axis=0))


def rows_of(draw: int, kept: pd.DataFrame) -> Iterator[dict]:
    """What each alpha, and all of them, make of the structures, beside what alpha = 1 does."""
    for (n, method), of_method in kept.groupby(["n", "method"], sort=False):
        wide = of_method.pivot(index="alpha", columns="structure", values="score").loc[list(ALPHAS)]
        errors = of_method.pivot(index="alpha", columns="structure", values="error").loc[wide.index]
        labels, true = list(wide), list(wide).index(common.TRUE.label)
        at_1, errors_at_1 = wide.loc[1.0].to_numpy(), errors.loc[1.0].to_numpy()
        one, best_at_1 = normalise(at_1), at_1.argmax()
        parts = [(f"{a:.3g}", wide.loc[a].to_numpy(), errors.loc[a].to_numpy()) for a in ALPHAS]
        for prior, scores, error in (*parts, (INTEGRATED, *integrated(wide.values, errors.values))):
            probabilities, best = normalise(scores), scores.argmax()
            pair = [best, best_at_1]
            yield {
                **{"draw": draw, "n": n, "method": method, "alpha": prior},
                **{"structures": len(labels), "rank": 1 + int(np.sum(scores > scores[true]))},
                **{"probability": probabilities[true], "best_structure": labels[best]},
                **{"score_true": scores[true], "standard_error": error[true]},
                "total_variation": np.abs(probabilities - one).sum() / 2,
                **{"lead": scores[best] - scores[best_at_1], "lead_error": hypot(*error[pair])},
                "lead_at_1": at_1[best_at_1] - at_1[best],
                "lead_at_1_error": hypot(*errors_at_1[pair]),
            }


def summary(table: pd.DataFrame) -> Iterator[list[str]]:
    """By size, method and alpha (of scores other than the reference only with alpha integrated
    out): in how many draws the true structure is first, and the pick that of alpha 1; the median
    rank; means over the draws of p(true structure), and of the total variation from alpha 1.
    """
    shown = (f"{ALPHAS[0]:.3g}", "1", f"{ALPHAS[-1]:.3g}", INTEGRATED)
    one = table[table["alpha"] == "1"].set_index(["draw", "n", "method"])["best_structure"]
    for (n, method, alpha), of_alpha in table.groupby(["n", "method", "alpha"], sort=False):
        if alpha not in (shown if method == "reference" else shown[-1:]):
            continue
        at_one = one.loc[pd.MultiIndex.from_frame(of_alpha[["draw", "n", "method"]])].to_numpy()
        p, distance = of_alpha["probability"], of_alpha["total_variation"]
        yield [
            *(f"{n}", method, alpha, f"{len(of_alpha)}", f"{(of_alpha['rank'] == 1).sum()}"),
            *(f"{of_alpha['rank'].median():g}", f"{p.mean():.3f} ± {p.sem():.3f}"),
            *(f"{(of_alpha['best_structure'] == at_one).sum()}", f"{distance.mean():.2f}"),
        ]


def main(*draws: int) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    for draw in draws or DRAWS:
        if not (KEPT / f"{draw}.csv").exists():
            table = of_draw(draw)
            partial = KEPT / f"{draw}.partial"
            table.to_csv(partial, index=False)
            partial.replace(KEPT / f"{draw}.csv")
    paths = sorted(KEPT.glob("*.csv"), key=lambda path: int(path.stem))
    table = [row for path in paths for row in rows_of(int(path.stem), pd.read_csv(path))]
    RESULT.parent.mkdir(exist_ok=True)
    tables.write(RESULT, RESULT.stem, table)
    head = "n | method | alpha | draws | first | median rank | p(true) | same pick | distance"
    common.print_table(head, summary(pd.DataFrame(table)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
