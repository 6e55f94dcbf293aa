"""Computation time, all structures: `latentdag.study.paper.timing.beside_paper`."""

import pandas as pd

from latentdag.report.markdown import label, number, table_of
from latentdag.study.paper.timing import beside_paper

TITLE = "Computation time, all structures"
NOTE = (
    "Times depend on the machine, its number of cores, restarts, chains and stopping rules: only "
    "orders of magnitude are comparable. A time excludes the upstream jobs whose estimates a score "
    "starts from, such as MAP and the mean field for VB."
)
CHAINS = "AIS ran several chains here, and one in the paper."
COLUMNS = {
    "method": lambda r: label(r.method),
    "n": lambda r: r.n,
    "seconds": lambda r: f"{r.seconds:.1f}",
    "paper's seconds (1 GHz Pentium III)": lambda r: f"{r.paper_seconds:.0f}",
    "paper / this run": lambda r: number(r.faster, ".0f"),
}


def section(timing: pd.DataFrame, chains: int) -> list[str]:
    """From the table of times, and the number of AIS ``chains``."""
    known = beside_paper(timing)
    note = f"{NOTE} {CHAINS}" if chains > 1 else NOTE
    return [f"## {TITLE}", table_of(known, COLUMNS), note] if len(known) else []
