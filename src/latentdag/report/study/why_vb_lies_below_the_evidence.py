"""Why VB lies below the evidence: `latentdag.study.one_draw.score_differences.parts_of_gap`."""

import pandas as pd

from latentdag.report.markdown import number, table_of
from latentdag.study.one_draw.score_differences import parts_of_gap
from latentdag.study.one_draw.sizes import some_sizes

TITLE = "Why VB lies below the evidence"
NOTE = (
    "Three bounds, each with one restriction less than the one before, split VB's error into "
    "parts. Collapsed VB integrates theta out: its gain over VB is the loss from the product q(s) "
    "q(theta). The mixture of its optima and their relabelled copies has several modes: its gain "
    "is the loss from a single mode. The remaining gap is the loss from the product over cases in "
    "q(s), and from optima that were not found. The table has means over the structures, in nats, "
    "at some of the sizes."
)
COLUMNS = {
    "n": lambda r: r.Index,
    "structures": lambda r: r.structures,
    "evidence minus VB": lambda r: number(r.gap, ".2f"),
    "product q(s) q(theta)": lambda r: number(r.theta, ".2f"),
    "one mode of several": lambda r: number(r.modes, ".2f"),
    "product over cases": lambda r: number(r.cases, ".2f"),
}


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of one draw."""
    found = parts_of_gap(scores)
    if found.empty:
        return []
    return [f"## {TITLE}", NOTE, table_of(found.loc[some_sizes(found.index)], COLUMNS)]
