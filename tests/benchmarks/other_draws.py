"""What scores are worth on draws that were not used to develop them.

Draws 201 to 207 of the study's seed, all 136 structures, five sizes; the study's settings. Writes
results/experiments/other_draws.csv, whose columns `latentdag.study.schema` describes. ``links`` is
a baseline that sees no data: fewer links are better. Twenty minutes on two cores.
"""

from itertools import product

import common
import joblib
import numpy as np
import pandas as pd
from common import SEED
from scipy.special import softmax
from scipy.stats import spearmanr

from latentdag import Prior, Structure, enumerate_structures
from latentdag.scores import compute
from latentdag.scores.base import Task

RESULT = common.EXPERIMENTS / "other_draws.csv"
DRAWS, SIZES = range(201, 208), (20, 80, 160, 320, 1280)
METHODS = ("bic", "cs", "laplace", "cs_lr", "vb", "vb_lr", "vb_collapsed", "vb_mix", "ais")


def scores_of(draw: int, n: int, structures: list[Structure]) -> pd.DataFrame:
    """Each of METHODS and the reference, a column each, by structure; d and the number of links."""
    cases = common.cases_of(max(SIZES), draw)[:n]
    task = Task(structures, cases, Prior(), SEED, (draw,))
    scores, _ = compute(task, (*METHODS, "reference"))
    found = pd.DataFrame(
        [(s.structure.label, s.method, s.score) for s in scores],
        columns=["structure", "method", "score"],
    ).pivot(index="structure", columns="method", values="score")
    found = found.loc[[s.label for s in structures]]
    links = np.array([sum(map(len, s.parents)) for s in structures])
    return found.assign(d=[s.n_parameters for s in structures], links=-links)


def measures(scores: pd.DataFrame, method: str) -> dict[str, float | None]:
    """Those of the table; of ``links`` no distances, as it is no ln evidence."""
    both = scores.dropna(subset=method)
    own, evidence = both[method], both["reference"]
    groups = [g for _, g in both.groupby("d") if g[method].nunique() > 1]
    within = [spearmanr(g[method], g["reference"]).statistic for g in groups]
    is_evidence = method != "links"
    distance = np.abs(softmax(own) - softmax(evidence)).sum() / 2
    return {
        "mean_absolute_error": (own - evidence).abs().mean() if is_evidence else None,
        "order": spearmanr(own, evidence).statistic,
        "order_same_d": np.average(within, weights=[len(g) - 1 for g in groups]),
        "total_variation": distance if is_evidence else None,
        "regret": scores["reference"].max() - evidence[own.idxmax()],
    }


def rows_of(draw: int, n: int) -> list[dict]:
    scores = scores_of(draw, n, enumerate_structures())
    return [{"draw": draw, "n": n, "method": m} | measures(scores, m) for m in (*METHODS, "links")]


def main() -> None:
    of = product(DRAWS, SIZES)
    parts = joblib.Parallel(n_jobs=-1, verbose=1)(joblib.delayed(rows_of)(*each) for each in of)
    common.write(RESULT, (row for part in parts for row in part))


if __name__ == "__main__":
    main()
