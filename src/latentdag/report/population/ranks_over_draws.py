"""Ranks over draws: the table of populations."""

import pandas as pd

from latentdag.report.markdown import number
from latentdag.report.population.cells import each_kind, size_table

TITLE = "Ranks over draws"
NOTE = (
    "Rank of the truth (1 is best): median over the draws (quartiles). A quartile is *none* if it "
    "falls on draws in which the truth has no score."
)


def section(population: pd.DataFrame) -> list[str]:
    """From the table of populations."""
    if population.empty:
        return []
    return [f"## {TITLE}", NOTE, *each_kind(population, lambda rows: size_table(rows, _cell))]


def _cell(r) -> str:
    middle, low, high = (number(v, "g") or "none" for v in (r.rank_50, r.rank_25, r.rank_75))
    return f"{middle} ({low} to {high})"
