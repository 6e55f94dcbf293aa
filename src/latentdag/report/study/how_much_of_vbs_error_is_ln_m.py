"""How much of VB's error is ln M:
`latentdag.study.one_draw.score_differences.relabellings_in_error`."""

import pandas as pd

from latentdag.report.markdown import number, table
from latentdag.study.one_draw.score_differences import relabellings_in_error
from latentdag.study.one_draw.sizes import some_sizes

TITLE = "How much of VB's error is ln M"
NOTE = (
    "VB's q(theta) lies about one mode of the posterior; it cannot see the other M - 1 relabelled "
    "copies of it. Means over the structures, in nats, at some of the sizes."
)


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of one draw."""
    found = relabellings_in_error(scores)
    if found.empty:
        return []
    rows = [
        [
            r.Index,
            r.structures,
            *(number(v, "+z.2f") for v in (r.error, r.log_copies, r.rest)),
            number(r.share, ".0%"),
        ]
        for r in found.loc[some_sizes(found.index)].itertuples()
    ]
    header = ["n", "structures", "VB minus reference", "ln M", "VB + ln M minus reference", "share"]
    return [f"## {TITLE}", NOTE, table(header, rows)]
