"""How far the scores are from the evidence: `latentdag.study.one_draw.errors.spread`."""

import pandas as pd

from latentdag.report.markdown import label, table_of
from latentdag.study.one_draw.errors import spread

TITLE = "How far the scores are from the evidence"
COLUMNS = {
    "method": lambda r: label(r.Index),
    "median": lambda r: f"{r.median:.2f}",
    "lowest": lambda r: f"{r.min:.2f}",
    "highest": lambda r: f"{r.max:.2f}",
}


def section(errors: pd.DataFrame) -> list[str]:
    """From the table of errors."""
    if errors.empty:
        return []
    return [
        f"## {TITLE}",
        "Score minus the reference evidence, over the structures, in nats.",
        table_of(spread(errors), COLUMNS),
    ]
