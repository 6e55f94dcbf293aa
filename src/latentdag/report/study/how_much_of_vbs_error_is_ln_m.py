"""How much of VB's error is ln M:
`latentdag.study.one_draw.score_differences.relabellings_in_error`."""

import pandas as pd

from latentdag.report.markdown import number, table_of
from latentdag.study.one_draw.score_differences import relabellings_in_error
from latentdag.study.one_draw.sizes import some_sizes

TITLE = "How much of VB's error is ln M"
NOTE = (
    "VB's q(theta) covers one mode of the posterior. It misses the other M - 1 relabelled copies "
    "of this mode, which costs ln M. The table has means over the structures, in nats, at some of "
    "the sizes. The share is ln M divided by VB's error."
)
COLUMNS = {
    "n": lambda r: r.Index,
    "structures": lambda r: r.structures,
    "VB minus reference": lambda r: number(r.error, "+z.2f"),
    "ln M": lambda r: number(r.log_copies, "+z.2f"),
    "VB + ln M minus reference": lambda r: number(r.rest, "+z.2f"),
    "share": lambda r: number(r.share, ".0%"),
}


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of one draw."""
    found = relabellings_in_error(scores)
    if found.empty:
        return []
    return [f"## {TITLE}", NOTE, table_of(found.loc[some_sizes(found.index)], COLUMNS)]
