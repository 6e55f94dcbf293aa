"""Below n = 480, the paper's size: AIS, VB and BIC against each other at smaller sizes;
`latentdag.study.one_draw.ranks.pairwise_wins`.
"""

import pandas as pd

from latentdag.report.markdown import label, table
from latentdag.study.one_draw.ranks import pairwise_wins
from latentdag.study.paper.numbers import BEST_FIRST, PAPER

TITLE = f"Below n = {PAPER.n}"


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of one draw."""
    small = ranks[ranks["n"] < PAPER.n]
    methods = [m for m in BEST_FIRST if m in set(small["method"])]
    if len(methods) < 2:
        return []
    found = pairwise_wins(small, methods)
    rows = [
        [f"{label(a)} against {label(b)}", *counts]
        for (a, b), counts in zip(found.index, found.to_numpy(), strict=True)
    ]
    header = [
        "",
        "first one better (sizes)",
        "second one better",
        "equal",
        "first one better beyond its error",
        "second one",
    ]
    return [f"## {TITLE}", table(header, rows)]
