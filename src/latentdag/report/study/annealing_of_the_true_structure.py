"""Annealing of the true structure, by length of schedule:
`latentdag.study.one_draw.annealing.by_kind`.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import counted, label, number, plus_minus, table_of
from latentdag.study.one_draw.annealing import by_kind

TITLE = "Annealing {structure} at n = {n}, {transition} transitions"
COLUMNS = {
    "steps": lambda r: r.Index,
    "median (nats)": lambda r: number(r.median, ".1f"),
    "log mean weight ± standard error": lambda r: plus_minus(r.estimate, r.standard_error),
    "true start": lambda r: number(r.true, ".1f"),
    "highest minus lowest of all chains": lambda r: number(r.spread, ".1f"),
}


def section(annealing: pd.DataFrame, levels: Mapping[str, float]) -> list[str]:
    """From the annealing runs of one draw; ``levels`` are the structure's scores by method that the
    paper's claims compare with.
    """
    text = []
    for (n, structure, transition), lengths in by_kind(annealing).items():
        chains = counted(int(lengths["chains"].max()), "chain")
        words = (
            "Annealing reaches a score at the first length from which on the median over the "
            f"chains lies above it. The median is over {chains} that start at draws from the prior."
        )
        if levels:
            of_scores = (f"{label(m)} {level:.2f} nats" for m, level in levels.items())
            words += f" {'; '.join(of_scores)}."
        title = TITLE.format(structure=structure, n=n, transition=transition)
        text += [f"## {title}", words, table_of(lengths, COLUMNS)]
    return text
