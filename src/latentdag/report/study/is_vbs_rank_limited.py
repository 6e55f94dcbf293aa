"""Is VB's rank limited by its bound or by the data?
`latentdag.study.one_draw.distances.vb_limits`.
"""

import pandas as pd

from latentdag.report.markdown import counted, joined, place, place_between, table_of
from latentdag.study.one_draw.distances import sizes_by_limit, vb_limits

TITLE = "Is VB's rank limited by its bound or by the data?"
NOTE = (
    "The data limit VB if the interval of the reference's rank does not contain 1. The bound "
    "limits VB if VB's rank is worse than every rank in the interval. The answer is undecided if "
    "the interval contains 1 and other ranks."
)
COLUMNS = {
    "n": lambda r: r.Index,
    "rank by the reference (interval)": lambda r: place_between(r.rank, r.low, r.high),
    "rank by VB": lambda r: place(r.vb),
    "limited by": lambda r: r.limited_by,
}


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of one draw."""
    limits = vb_limits(ranks)
    if limits.empty:
        return []
    words = "; ".join(
        f"{answer} at {counted(len(sizes), 'size')} (n = {joined(sizes)})"
        for answer, sizes in sizes_by_limit(limits).items()
    )
    return [f"## {TITLE}", f"{words[0].upper()}{words[1:]}. {NOTE}", table_of(limits, COLUMNS)]
