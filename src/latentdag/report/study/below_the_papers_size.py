"""Below n = 480, the paper's size: AIS, VB and BIC against each other at smaller sizes;
`latentdag.study.one_draw.ranks.pairwise_wins`.
"""

import pandas as pd

from latentdag.report.markdown import label, table_of
from latentdag.study.one_draw.ranks import pairwise_wins
from latentdag.study.paper.numbers import BEST_FIRST, PAPER

TITLE = f"Below n = {PAPER.n}"
COLUMNS = {
    "": lambda r: " against ".join(map(label, r.Index)),
    "first better": lambda r: r.first,
    "second better": lambda r: r.second,
    "equal": lambda r: r.equal,
    "first better, intervals disjoint": lambda r: r.surely_first,
    "second better, intervals disjoint": lambda r: r.surely_second,
}


def section(ranks: pd.DataFrame) -> list[str]:
    """From the table of ranks of one draw."""
    small = ranks[ranks["n"] < PAPER.n]
    methods = [m for m in BEST_FIRST if m in set(small["method"])]
    if len(methods) < 2:
        return []
    words = (
        f"Number of sizes below {PAPER.n} at which one of two scores ranks the true structure "
        "better than the other:"
    )
    return [f"## {TITLE}", words, table_of(pairwise_wins(small, methods), COLUMNS)]
