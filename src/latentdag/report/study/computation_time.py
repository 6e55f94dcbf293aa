"""Computation time, all structures: `latentdag.study.paper.timing.beside_paper`."""

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.study.paper.timing import beside_paper

TITLE = "Computation time, all structures"
NOTE = (
    "Times depend on the machine, its number of cores, restarts, chains and stopping rules: only "
    "orders of magnitude compare. A time leaves out the jobs that a score starts from, as VB does "
    "from MAP and the mean field."
)


def section(timing: pd.DataFrame) -> list[str]:
    """From the table of times."""
    rows = [
        [
            label(r.method),
            r.n,
            f"{r.seconds:.1f}",
            f"{r.paper_seconds:.0f}",
            number(r.faster, ".0f"),
        ]
        for r in beside_paper(timing).itertuples()
    ]
    header = ["method", "n", "seconds", "paper's seconds (1 GHz Pentium III)", "paper / this run"]
    return [f"## {TITLE}", table(header, rows), NOTE] if rows else []
