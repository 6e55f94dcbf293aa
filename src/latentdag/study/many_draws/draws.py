"""What many draws of parameters and data say where one says a size or a rank."""

import numpy as np
import pandas as pd

from latentdag.study.one_draw.ranks import found_for_good
from latentdag.study.schema.frames import present

QUANTILES = (0.5, 0.1, 0.9)  # over draws


def over_draws(ranks: pd.DataFrame, below: int) -> pd.DataFrame:
    """By method that ran at the largest size: the quantiles `QUANTILES` over draws (nearest rank)
    of the size from which the true structure is found for good, ``start_...``, and of its median
    rank at sizes under ``below``, ``rank_...``; and in how many draws it is ``never`` found.

    A draw in which it is never found counts as a size beyond all, inf; so does a rank that it does
    not have.
    """
    rows = {}
    filled = ranks.assign(rank=ranks["rank"].astype(float).fillna(np.inf))
    for m in present(ranks.loc[ranks["n"] == ranks["n"].max(), "method"]):
        own = filled[filled["method"] == m]
        start = pd.Series(
            [found_for_good(g.set_index("n")["rank"]) for _, g in own.groupby("draw")], dtype=float
        )
        small = own[own["n"] < below].groupby("draw")["rank"].median()
        rows[m] = {"never": int(start.isna().sum())}
        for name, values in (("start", start.fillna(np.inf)), ("rank", small)):
            for q in QUANTILES:
                rows[m][f"{name}_{q:g}"] = (
                    values.quantile(q, interpolation="nearest") if len(values) else np.nan
                )
    return pd.DataFrame.from_dict(rows, orient="index")
