"""The paper's claims, draw by draw: the table of claims_held."""

import pandas as pd

from latentdag.report.markdown import share, table

TITLE = "The paper's claims, draw by draw"
NOTE = (
    "Each claim is judged on every draw alone, as in the summary of a single draw, and holds in so "
    "many of the draws that can tell. The last column counts those that cannot."
)
HEADER = ["claim", "paper", "holds in", "share", "cannot tell"]


def section(claims_held: pd.DataFrame) -> list[str]:
    """From the table of claims held."""
    rows = [
        [
            r.claim,
            r.paper,
            f"{r.holds} of {r.draws}",
            share(r.share, r.low, r.high),
            r.undecided,
        ]
        for r in claims_held.itertuples()
        if r.draws
    ]
    if not rows:
        return []
    return [f"## {TITLE}", NOTE, table(HEADER, rows)]
