"""Which of two scores needs fewer cases to find the truth on the same draws, and by what factor."""

from itertools import permutations

import numpy as np
import pandas as pd
import scipy

from latentdag.study.many_draws.proportions import share
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import by_method


def comparisons(found: pd.DataFrame) -> pd.DataFrame:
    """The table of comparisons from that of sizes found, over the draws that have both scores, for
    every ordered pair of scores.

    What is not found at the largest size is later than all that is. The factor is over the draws in
    which both have found the truth; its interval is that of the order statistics, exact for every
    distribution.
    """
    rows = []
    for by, own in found.groupby("by"):
        ran = by_method(own.assign(ran=True), "ran", "draw").notna()
        sizes = by_method(own, "n_found", "draw").fillna(np.inf)
        for a, b in permutations(sizes, 2):
            both = ran[a] & ran[b]
            rows.append((by, a, b, *_compared(sizes.loc[both, a], sizes.loc[both, b])))
    return pd.DataFrame(rows, columns=TABLES["comparisons"].columns)


def _compared(a: pd.Series, b: pd.Series) -> tuple:
    """A row of the table after its names, from the sizes by draw, inf where there is none."""
    known = np.isfinite(a) & np.isfinite(b)
    earlier, later = int((a < b).sum()), int((a > b).sum())
    same, undecided = int((known & (a == b)).sum()), int((np.isinf(a) & np.isinf(b)).sum())
    factors = (b[known] / a[known]).to_numpy(float)
    return (
        len(a),
        earlier,
        later,
        same,
        undecided,
        *share(earlier, earlier + later),
        *_median(factors),
    )


def _median(values: np.ndarray) -> tuple[float, float, float]:
    """The median and its exact 95 % interval; nan where there are too few values."""
    if not len(values):
        return np.nan, np.nan, np.nan
    interval = scipy.stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    return float(np.median(values)), float(interval.low), float(interval.high)
