"""Ranks of the true structure: `latentdag.study.one_draw.ranks.rank_by_size`, of the scores that
the figure of ranks draws.
"""

import pandas as pd

from latentdag.report.markdown import label, place_between, table
from latentdag.study.one_draw.ranks import rank_by_size
from latentdag.study.schema.frames import drawn

TITLE = "Ranks of the true structure"


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of one draw."""
    ranks = ranks[ranks["method"].isin(drawn("rank", ranks["method"]))]
    if ranks.empty:
        return []
    values, low, high = (rank_by_size(ranks, end) for end in ("rank", "rank_low", "rank_high"))
    rows = [
        [n, *(place_between(values[m][n], low[m][n], high[m][n]) for m in values)]
        for n in values.index
    ]
    note = "Rank of the true structure (1 is best)."
    if (low < high).any(axis=None):
        note += " The range in brackets is that of the ranks which the Monte Carlo error allows."
    if values.isin([float("inf")]).any(axis=None):
        note += " The rank is *none* if the structure has no score."
    return [f"## {TITLE}", note, table(["n", *(label(m) for m in values)], rows)]
