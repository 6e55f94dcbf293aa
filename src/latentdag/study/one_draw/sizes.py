"""The smallest number of cases from which something holds for good; and the nearest size."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from latentdag.scores import present


def recovery_sizes(ranks: pd.DataFrame, of: list[str]) -> pd.DataFrame:
    """A DataFrame with a row for each group of rows of ``ranks`` by its columns ``of``: these, the
    largest size `n`, and `n_found`, the smallest size from which the column `rank` is 1 at this and
    every larger size; nan if there is none.
    """
    rows = ranks[[*of, "n", "rank"]].sort_values("n", ascending=False, ignore_index=True)
    stays = (rows["rank"] == 1).groupby([rows[name] for name in of]).cummin()
    rows["n_found"] = rows["n"].where(stays).astype(float)
    return rows.groupby(of).agg({"n": "max", "n_found": "min"}).reset_index()


def sizes_for_good(ranks: pd.DataFrame) -> dict[str, int | None]:
    """A dict by method that ran at the largest size, from the table ``ranks`` of one draw: the
    smallest size from which the true structure ranks first at this and every larger size; None if
    there is none.
    """
    sizes = recovery_sizes(ranks, ["method"])
    sizes = sizes[sizes["n"] == ranks["n"].max()].set_index("method")["n_found"]
    return {m: None if np.isnan(sizes[m]) else int(sizes[m]) for m in present(sizes.index)}


def first_recovery(ranks: pd.Series) -> int | None:
    """The smallest size at which ``ranks``, a series by n, is 1; None if there is none."""
    sizes = ranks.index[ranks == 1]
    return int(sizes.min()) if len(sizes) else None


def lost_again(ranks: pd.Series) -> tuple[int, int] | None:
    """From the ranks, a series by n: at how many of the sizes above `first_recovery` the rank is
    not 1, and how many these sizes are; None if there are none.

    >>> lost_again(pd.Series([9, 1, 2, 1], index=[10, 80, 480, 1120]))
    (1, 2)
    """
    first = first_recovery(ranks)
    later = ranks[ranks.index > first] if first is not None else ranks[:0]
    return (int((later > 1).sum()), len(later)) if len(later) else None


def for_good(holds: pd.Series) -> int | None:
    """The smallest index entry, an int, from which ``holds``, a series, is true at it and every
    larger one; None if there is none.
    """
    stays = holds.sort_index(ascending=False).cummin()
    return int(stays.index[stays].min()) if stays.any() else None


def nearest_size(sizes: Iterable[int], n: int) -> int:
    """The size that is nearest to ``n`` by their ratio, the smaller of two equally near."""
    tried = np.unique(list(sizes))
    return int(tried[np.abs(np.log(tried / n)).argmin()])
