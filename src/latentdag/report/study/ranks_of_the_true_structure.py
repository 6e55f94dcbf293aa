"""Ranks of the true structure: `latentdag.study.ranks`."""

import pandas as pd

from latentdag.report.markdown import label, place_between, table
from latentdag.study.ranks import by_size, starts

TITLE = "Ranks of the true structure"


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of one draw."""
    if ranks.empty:
        return []
    values, low, high = (by_size(ranks, end) for end in ("rank", "rank_low", "rank_high"))
    first = starts(ranks)
    rows = [
        [n, *(place_between(values[m][n], low[m][n], high[m][n]) for m in values)]
        for n in values.index
    ]
    words = {m: "never" if start is None else start for m, start in first.items()}
    rows.append(["first for good from", *(words.get(m, "") for m in values)])
    note = "Rank of the true structure (1 is best)."
    if (low < high).any(axis=None):
        note += " In brackets: how far its Monte Carlo error reaches."
    if values.isin([float("inf")]).any(axis=None):
        note += " It has *none* where it has no score."
    return [f"## {TITLE}", note, table(["n", *(label(m) for m in values)], rows)]
