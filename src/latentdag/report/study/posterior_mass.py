"""Posterior mass of the true structure: `latentdag.study.one_draw.posterior.mass` and
`mass_from`.
"""

import pandas as pd

from latentdag.report.markdown import number, score_table, start
from latentdag.study.one_draw.posterior import SHARE, mass, mass_from
from latentdag.study.one_draw.sizes import some_sizes

TITLE = "Posterior mass of the true structure"


def section(posterior: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of posteriors of one draw."""
    masses = mass(posterior, truth)
    if masses.empty:
        return []
    over = {m: start(n) for m, n in mass_from(posterior, truth).items()}
    return [
        f"## {TITLE}",
        "Under a uniform prior over the structures, at some of the sizes.",
        score_table(
            list(masses),
            some_sizes(masses.index),
            lambda m, n: number(masses[m][n], ".3g"),
            (f"over {SHARE:.0%} from n on", over),
        ),
    ]
