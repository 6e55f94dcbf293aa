"""Whether the rank that VB gives the true structure is limited by its bound or by the data."""

import pandas as pd

from latentdag.study.one_draw.ranks import by_size

NOTHING, BOUND, DATA, BOTH, UNDECIDED = (
    "nothing (VB ranks it first)",
    "the bound",
    "the data",
    "the data, and the bound",
    "undecided",
)


def limited_by(vb: float, reference: float, low: float, high: float) -> str:
    """What keeps VB's rank of the true structure from 1, given the reference's rank and its
    interval.

    Where the evidence itself does not rank the true structure first, the data limit VB; where it
    does and VB does not, its bound does; undecided where the interval holds 1 and other ranks.
    """
    if vb == 1:
        return NOTHING
    if max(reference, high) == 1:
        return BOUND
    if min(reference, low) > 1:
        return DATA if vb <= max(reference, high) else BOTH
    return UNDECIDED


def limits(ranks: pd.DataFrame) -> pd.DataFrame:
    """By size, of one draw: the reference's ``rank``, ``low`` and ``high``, VB's rank ``vb``, and
    what that is ``limited_by``; empty where either did not run.
    """
    if not {"vb", "reference"} <= set(ranks["method"]):
        return pd.DataFrame()
    ends = {"rank": "rank", "low": "rank_low", "high": "rank_high"}
    found = pd.DataFrame(
        {name: by_size(ranks, end)["reference"] for name, end in ends.items()}
        | {"vb": by_size(ranks)["vb"]}
    ).dropna()
    found["limited_by"] = [
        limited_by(r.vb, r.rank, r.low, r.high) for r in found.itertuples(index=False)
    ]
    return found
