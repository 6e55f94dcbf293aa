"""All draws: `latentdag.study.many_draws.sizes_found.quantiles_over_draws`."""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import label, table
from latentdag.study.many_draws.sizes_found import QUANTILES, quantiles_over_draws
from latentdag.study.paper.numbers import PAPER

TITLE = "All draws"


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of all draws; nothing when there is one."""
    draws = len(set(ranks["draw"]))
    if draws < 2:
        return []
    rows = [
        [label(m), _quantiles(r, "start", "never"), int(r["never"]), _quantiles(r, "rank", "none")]
        for m, r in quantiles_over_draws(ranks, PAPER.n).iterrows()
    ]
    low, _, high = QUANTILES
    words = f"Over {draws} draws: median ({low:.0%} and {high:.0%} quantiles)."
    header = [
        "method",
        "first from n on",
        "draws: never",
        f"median rank below n = {PAPER.n}",
    ]
    return [f"## {TITLE}", words, table(header, rows)]


def _quantiles(row: Mapping, name: str, beyond: str) -> str:
    """``median (low, high)``; ``beyond`` is what inf is called."""
    low, middle, high = (row[f"{name}_{q:g}"] for q in QUANTILES)
    if middle != middle:  # nan: no sizes to tell of
        return ""
    middle, low, high = (beyond if v == float("inf") else f"{v:g}" for v in (middle, low, high))
    return f"{middle} ({low}, {high})"
