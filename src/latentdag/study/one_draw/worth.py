"""What each score is worth, told at a few sizes: one row per score fits on a page where one column
per score does not.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from latentdag.scores import SPECS
from latentdag.scores.base import Side

TOLD = (80, 480, 1280)  # cases; 480 is the size of the paper's figures


def some_sizes(sizes: Iterable[int]) -> list[int]:
    """Five of the sizes, ascending, or fewer if the same ones serve: the smallest, the nearest to
    each of `TOLD` by their ratio, and the largest.
    """
    own = np.unique(list(sizes))
    if not len(own):
        return []
    return sorted({nearest_size(own, n) for n in TOLD} | {int(own[0]), int(own[-1])})


def nearest_size(sizes: Iterable[int], n: int) -> int:
    """The size that is nearest to ``n`` by their ratio, the smaller of two equally near."""
    own = np.unique(list(sizes))
    return int(own[np.abs(np.log(own / n)).argmin()])


def nearest(distances: pd.DataFrame, sampling: bool = True) -> pd.Series:
    """By size, the score that is nearest to the evidence, from distances by n and method; the first
    in the registry of those equally near, and none, "", where no distance is known.

    The evidence itself is left out, and all that sample, too, without ``sampling``.
    """
    rivals = [
        m
        for m in distances
        if SPECS[m].side is not Side.EVIDENCE and (sampling or not SPECS[m].monte_carlo)
    ]
    found = {}
    for n, own in distances[rivals].iterrows():
        known = own.dropna()
        found[n] = known.idxmin() if len(known) else ""
    return pd.Series(found, dtype=object)
