"""The claims, draw by draw: the table of claims_held."""

from typing import Any

import pandas as pd

from latentdag.report.markdown import share, table_of

TITLE = "The claims, draw by draw"
NOTE = (
    "Each claim is judged on each draw alone, as in the summary of a single draw. The table has "
    "the number of draws in which the claim holds, of those by which it can be tested, and their "
    "share with its 95 % interval. A claim that no draw can refute has no share. The last two "
    "columns have the number of draws by which the claim cannot be tested, and the claim's place "
    "in its source."
)
COLUMNS = {
    "claim": lambda r: r.claim,
    "source says": lambda r: r.paper,
    "holds in": lambda r: f"{r.holds} of {r.draws}",
    "share": lambda r: share(r.share, r.low, r.high),
    "not testable": lambda r: r.undecided,
    "place in the source": lambda r: r.source,
}


def section(claims_held: pd.DataFrame) -> list[str]:
    """From the table of claims held."""
    known = claims_held[claims_held["draws"] > 0]
    return [f"## {TITLE}", NOTE, table_of(known, COLUMNS)] if len(known) else []


def holds_in(row: Any) -> str:
    """In how many draws a claim holds, in words: a row of the table of claims held."""
    if not row.draws:
        return ""
    words = f"{row.holds} of {row.draws}"
    if pd.isna(row.share):
        return f"{words}; no draw can refute it"
    return f"{words}: {share(row.share, row.low, row.high)}"
