"""The rank that each score gives the true structure, with its uncertainty where the scores have a
Monte Carlo error.
"""

import numpy as np

from latentdag.scores import METHODS
from latentdag.streams import generator

RESAMPLES = 2000
INTERVAL = (0.05, 0.95)


def rank(scores: np.ndarray, true: int) -> np.ndarray:
    """1 + the number of strictly higher scores than that of structure ``true``; ``scores`` has
    shape (..., S).
    """
    return 1 + (scores > scores[..., true, None]).sum(axis=-1)


def rank_rows(scores, true_structure: str, seed: int) -> list[tuple]:
    """Rows of the ranks table from the scores table (a DataFrame; columns draw, n, structure,
    method, score, standard_error).

    ``rank_low`` and ``rank_high`` hold 90 % of the ranks found when every score is redrawn from a
    normal distribution with its standard error; for a deterministic method they equal the rank.
    """
    rows = []
    for (draw, n, method), group in scores.groupby(["draw", "n", "method"], sort=False):
        values, labels = group["score"].to_numpy(), group["structure"].to_numpy()
        (true,) = np.flatnonzero(labels == true_structure)
        errors = group["standard_error"].to_numpy()
        own = int(rank(values, true))
        low, high = own, own
        if not np.isnan(errors).any():
            noise = generator(seed, "rank", draw, n, method).standard_normal(
                (RESAMPLES, len(values))
            )
            low, high = (
                np.quantile(rank(values + errors * noise, true), INTERVAL, method="nearest")
                .astype(int)
                .tolist()
            )
        best = int(values.argmax())
        rows.append(
            (
                draw,
                n,
                method,
                own,
                float(values[true]),
                labels[best],
                float(values[best]),
                low,
                high,
            )
        )
    return sorted(rows, key=lambda row: (row[0], row[1], METHODS.index(row[2])))
