"""Structures without a score, of a study as of one's own data:
`latentdag.study.one_draw.fits.without_score`.
"""

import pandas as pd

from latentdag.report.markdown import label, pairs, some, table
from latentdag.study.one_draw.fits import without_score
from latentdag.study.schema.frames import present

TITLE = "Structures without a score"


def section(scores: pd.DataFrame) -> list[str]:
    """By score and reason; nothing when every structure has every score. Of all draws."""
    lost = without_score(scores)
    several = scores["draw"].nunique() > 1
    rows = []
    for method in present(lost["method"]):
        of_method = lost[lost["method"] == method]
        for reason, own in of_method.groupby("reason"):
            names = pairs(own, several, lambda r: "")
            rows.append([label(method), reason, len(own), some(names)])
    header = ["method", "why", "pairs of structure and n", "which"]
    words = (
        "Where a structure has no score, its rank by that score comes after all that have one, a "
        "posterior gives it no weight, and its class is that of its other members."
    )
    return [f"## {TITLE}", words, table(header, rows)] if rows else []
