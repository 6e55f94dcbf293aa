"""All 136 structures at n = 480: `latentdag.study.one_draw.at_one_size.best_structures`."""

import pandas as pd

from latentdag.report.markdown import counted, label, place, plus_minus, table
from latentdag.study.one_draw.at_one_size import best_structures

TITLE = "All {structures} at n = {n}"


def section(at_n: pd.DataFrame, n: int, truth: str | None) -> list[str]:
    """From the scores of one draw at ``n`` cases."""
    found = best_structures(at_n, truth)
    if found.empty:
        return []
    rows = [
        [
            label(r.Index),
            r.best,
            plus_minus(r.score, r.standard_error),
            place(r.rank),
            plus_minus(r.behind, r.behind_error),
        ]
        for r in found.itertuples()
    ]
    header = [
        "method",
        "best structure",
        "its score (nats)",
        "rank of the true structure",
        "best minus true (nats)",
    ]
    structures = counted(at_n["structure"].nunique(), "structure")
    return [f"## {TITLE.format(structures=structures, n=n)}", table(header, rows)]
