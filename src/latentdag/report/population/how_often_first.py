"""How often first: the table of populations."""

import pandas as pd

from latentdag.report.markdown import percent, share
from latentdag.report.population.cells import each_kind, size_table

TITLE = "How often first"
FIRST = (
    "Share of draws in which the truth has rank 1 at n. The number after the semicolon is the "
    "mean probability that the score gives to the structure, or class, that it ranks first. The "
    "two need agree only if the true structures are drawn uniformly."
)
FEW = "Share of draws in which the truth is among the first five."


def section(population: pd.DataFrame) -> list[str]:
    """From the table of populations."""
    if population.empty:
        return []
    return [
        f"## {TITLE}",
        FIRST,
        *each_kind(population, lambda rows: size_table(rows, _first)),
        FEW,
        *each_kind(population, lambda rows: size_table(rows, _in_five)),
    ]


def _first(r) -> str:
    first = share(r.first, r.first_low, r.first_high)
    return first if pd.isna(r.expected_first) else f"{first}; {percent(r.expected_first)}"


def _in_five(r) -> str:
    return share(r.in_five, r.in_five_low, r.in_five_high)
