"""The paper's claims, draw by draw: the table of claims_held."""

import pandas as pd

from latentdag.report.markdown import share, table_of

TITLE = "The paper's claims, draw by draw"
NOTE = (
    "Each claim is judged on every draw alone, as in the summary of a single draw, and holds in so "
    "many of the draws that can tell. The last column counts those that cannot."
)
COLUMNS = {
    "claim": lambda r: r.claim,
    "paper": lambda r: r.paper,
    "holds in": lambda r: f"{r.holds} of {r.draws}",
    "share": lambda r: share(r.share, r.low, r.high),
    "cannot tell": lambda r: r.undecided,
}


def section(claims_held: pd.DataFrame) -> list[str]:
    """From the table of claims held."""
    known = claims_held[claims_held["draws"] > 0]
    return [f"## {TITLE}", NOTE, table_of(known, COLUMNS)] if len(known) else []
