"""How far the scores are from the evidence: `latentdag.study.one_draw.errors.spread`."""

import pandas as pd

from latentdag.report.markdown import label, table
from latentdag.study.one_draw.errors import spread

TITLE = "How far the scores are from the evidence"


def section(errors: pd.DataFrame) -> list[str]:
    """From the table of errors."""
    if errors.empty:
        return []
    rows = [
        [label(r.Index), *(f"{v:.2f}" for v in (r.median, r.min, r.max))]
        for r in spread(errors).itertuples()
    ]
    return [
        f"## {TITLE}",
        "Score minus the reference evidence, over the structures, in nats.",
        table(["method", "median", "lowest", "highest"], rows),
    ]
