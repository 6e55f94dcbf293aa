"""Posterior mass of the true structure: `latentdag.study.posterior.mass` and `mass_from`."""

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.study.posterior import SHARE, mass, mass_from

TITLE = "Posterior mass of the true structure"


def section(posterior: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of posteriors of one draw."""
    found = mass(posterior, truth)
    if found.empty:
        return []
    words = ", ".join(
        f"{label(m)} {'never' if start is None else f'from n = {start}'}"
        for m, start in mass_from(posterior, truth).items()
    )
    rows = [[n, *(number(v, ".3g") for v in found.loc[n])] for n in found.index]
    return [
        f"## {TITLE}",
        f"Under a uniform prior over the structures, over {SHARE:.0%} of the mass for good: "
        f"{words}.",
        table(["n", *map(label, found)], rows),
    ]
