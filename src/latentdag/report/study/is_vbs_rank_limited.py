"""Is VB's rank limited by its bound or by the data? `latentdag.study.one_draw.distances`."""

import pandas as pd

from latentdag.report.markdown import counted, joined, place, place_between, table
from latentdag.study.one_draw.distances import vb_limits

TITLE = "Is VB's rank limited by its bound or by the data?"
NOTE = (
    "Where the evidence itself does not rank the true structure first, the data limit VB; where it "
    "does and VB does not, its bound does; undecided where the reference's interval holds 1 and "
    "other ranks."
)


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of one draw."""
    found = vb_limits(ranks)
    if found.empty:
        return []
    words = "; ".join(
        f"{answer} at {counted(len(sizes), 'size')} (n = {joined(sizes)})"
        for answer, sizes in found.groupby("limited_by").groups.items()
    )
    rows = [
        [r.Index, place_between(r.rank, r.low, r.high), place(r.vb), r.limited_by]
        for r in found.itertuples()
    ]
    header = ["n", "rank by the reference (interval)", "rank by VB", "limited by"]
    return [f"## {TITLE}", f"{words[0].upper()}{words[1:]}. {NOTE}", table(header, rows)]
