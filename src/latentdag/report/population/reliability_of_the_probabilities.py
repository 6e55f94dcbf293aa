"""Reliability of the probabilities: the table of reliability."""

import pandas as pd

from latentdag.report.markdown import label, percent, table
from latentdag.study.one_draw.sizes import nearest_size
from latentdag.study.schema.frames import present

TITLE = "Reliability of the probabilities"
STATEMENTS = {
    "structure": "this is the true structure",
    "class": "this is the true structure's class",
    "shared cause": "these two observed variables share a hidden cause",
}


def section(reliability: pd.DataFrame, n: int) -> list[str]:
    """From the table of reliability, at the size nearest to ``n``."""
    if reliability.empty:
        return []
    n = nearest_size(reliability["n"], n)
    here = reliability[(reliability["n"] == n) & (reliability["number"] > 0)]
    words = (
        "Share of statements that are true, and number of statements over all draws, by the "
        f"probability that a score gives them at n = {n}. If the true structures are drawn "
        "uniformly, the shares of a reliable score lie in the range of probabilities at the left."
    )
    text = [f"## {TITLE}", words]
    for what, statement in STATEMENTS.items():
        of_statement = here[here["what"] == what]
        if len(of_statement):
            text += [f"*{statement[0].upper()}{statement[1:]}*:", _table(of_statement)]
    return text


def _table(bins: pd.DataFrame) -> str:
    methods = present(bins["method"])
    cells = {(r.bin, r.method): f"{percent(r.share_true)} of {r.number}" for r in bins.itertuples()}
    rows = [
        [f"{b / 10:g} to {(b + 1) / 10:g}", *(cells.get((b, m), "") for m in methods)]
        for b in sorted(set(bins["bin"]))
    ]
    return table(["probability", *map(label, methods)], rows)
