"""How many cases each score needs relative to the evidence: the table of cases needed,
`latentdag.study.many_draws.sizes_found.cases_needed`.
"""

import pandas as pd

from latentdag.report.markdown import label, share, table
from latentdag.report.population.cells import each_kind
from latentdag.study.schema.frames import present

TITLE = "How many cases each score needs"
NOTE = (
    "The number of cases that a score needs to find the truth, divided by the number that the "
    "evidence needs on the same draw. The table is about the draws in which the evidence finds the "
    "truth. The last column is the share of these "
    "draws in which the score does not find it at the largest size."
)
HEADER = ["score", "draws", "median (95 %)", "middle half", "10 to 90 %", "never (95 %)"]


def section(cases_needed: pd.DataFrame | None) -> list[str]:
    """From the table of cases needed; nothing where there is no evidence."""
    if cases_needed is None or cases_needed.empty:
        return []
    return [f"## {TITLE}", NOTE, *each_kind(cases_needed, _table)]


def _table(rows: pd.DataFrame) -> str:
    of = rows.set_index("method").loc[present(rows["method"])]
    known = of[of["draws"] > 0]
    cells = [
        [
            label(r.Index),
            r.draws,
            f"{_ratio(r.ratio_50)} ({_ends(r.ratio_50_low, r.ratio_50_high)})",
            _ends(r.ratio_25, r.ratio_75),
            _ends(r.ratio_10, r.ratio_90),
            share(r.never, r.never_low, r.never_high),
        ]
        for r in known.itertuples()
    ]
    return table(HEADER, cells) if cells else ""


def _ends(low: float, high: float) -> str:
    return f"{_ratio(low)} to {_ratio(high)}"


def _ratio(value: float) -> str:
    return "never" if pd.isna(value) else f"{value:.3g}"
