"""All 136 structures at n = 480: `latentdag.study.one_draw.at_one_size.best_structures`."""

import pandas as pd

from latentdag.report.markdown import counted, label, place, plus_minus, table_of
from latentdag.study.one_draw.at_one_size import best_structures

TITLE = "All {structures} at n = {n}"
COLUMNS = {
    "method": lambda r: label(r.Index),
    "best structure": lambda r: r.best,
    "its score (nats)": lambda r: plus_minus(r.score, r.standard_error),
    "rank of the true structure": lambda r: place(r.rank),
    "best minus true (nats)": lambda r: plus_minus(r.behind, r.behind_error),
}


def section(at_n: pd.DataFrame, n: int, truth: str | None) -> list[str]:
    """From the scores of one draw at ``n`` cases."""
    best = best_structures(at_n, truth)
    if best.empty:
        return []
    structures = counted(len(set(at_n["structure"])), "structure")
    return [f"## {TITLE.format(structures=structures, n=n)}", table_of(best, COLUMNS)]
