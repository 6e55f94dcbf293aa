"""Numbers of cases: the smallest from which something holds for good, and those that a table shows.

*For good* means at this and at every larger size.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

SHOWN = (80, 480, 1280)  # cases; 480 is the size of the paper's figures


def found_for_good(ranks: pd.Series) -> int | None:
    """The smallest size from which the rank, a series by n, is 1 at this and every larger size;
    None if there is none.
    """
    first = None
    for n, place in ranks.sort_index(ascending=False).items():
        if place != 1:
            break
        first = int(n)
    return first


def first_found(ranks: pd.Series) -> int | None:
    """The smallest size at which the rank, a series by n, is 1; None if there is none."""
    sizes = ranks.index[ranks == 1]
    return int(sizes.min()) if len(sizes) else None


def stays_above(values: pd.Series, level: float) -> int | None:
    """The smallest index from which all values, at this and every larger index, are above
    ``level``; None if there is none.
    """
    return found_for_good(~(values > level) + 1)


def some_sizes(sizes: Iterable[int]) -> list[int]:
    """Five of the sizes, ascending, or fewer if the same ones serve: the smallest, the nearest to
    each of `SHOWN` by their ratio, and the largest.
    """
    own = np.unique(list(sizes))
    if not len(own):
        return []
    return sorted({nearest_size(own, n) for n in SHOWN} | {int(own[0]), int(own[-1])})


def nearest_size(sizes: Iterable[int], n: int) -> int:
    """The size that is nearest to ``n`` by their ratio, the smaller of two equally near."""
    own = np.unique(list(sizes))
    return int(own[np.abs(np.log(own / n)).argmin()])
