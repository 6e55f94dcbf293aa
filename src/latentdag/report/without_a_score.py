"""Structures without a score, of a study as of one's own data:
`latentdag.study.one_draw.fits.lost_by_reason`.
"""

import pandas as pd

from latentdag.report.markdown import label, pairs, some, table
from latentdag.study.one_draw.fits import lost_by_reason

TITLE = "Structures without a score"
HEADER = ("method", "reason", "pairs of structure and n", "structures")
NOTE = (
    "A structure without a score has a rank after all structures with one, and no posterior "
    "probability. Its class has the mass of the other members."
)


def section(scores: pd.DataFrame) -> list[str]:
    """By score and reason; nothing when every structure has every score. Of all draws."""
    several = len(set(scores["draw"])) > 1
    rows = [
        [label(method), reason, len(lost), some(pairs(lost, several, lambda r: ""))]
        for (method, reason), lost in lost_by_reason(scores).items()
    ]
    return [f"## {TITLE}", NOTE, table(HEADER, rows)] if rows else []
