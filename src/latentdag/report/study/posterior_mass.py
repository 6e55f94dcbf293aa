"""Posterior mass of the true structure: `latentdag.study.one_draw.posterior.mass` and
`mass_from`.
"""

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.study.one_draw.posterior import SHARE, mass, mass_from
from latentdag.study.one_draw.sizes import some_sizes

TITLE = "Posterior mass of the true structure"


def section(posterior: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of posteriors of one draw."""
    found = mass(posterior, truth)
    if found.empty:
        return []
    sizes = some_sizes(found.index)
    start = {m: "never" if n is None else n for m, n in mass_from(posterior, truth).items()}
    rows = [
        [label(m), *(number(found[m][n], ".3g") for n in sizes), start.get(m, "")] for m in found
    ]
    over = f"over {SHARE:.0%} for good from"
    return [
        f"## {TITLE}",
        "Under a uniform prior over the structures, at some of the sizes.",
        table(["score", *(f"n = {n}" for n in sizes), over], rows),
    ]
