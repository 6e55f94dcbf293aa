"""Annealing of the true structure, by length of schedule:
`latentdag.study.one_draw.annealing.by_length`.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import label, number, plus_minus, table
from latentdag.study.one_draw.annealing import by_length

TITLE = "Annealing {structure} at n = {n}, {transition} transitions"


def section(annealing: pd.DataFrame, levels: Mapping[str, float]) -> list[str]:
    """From the annealing runs of one draw and n; ``levels`` are the structure's scores by method
    that the paper's claims compare with.
    """
    text = []
    for (transition, structure), runs in annealing.groupby(["transition", "structure"]):
        found = by_length(runs)
        rows = [
            [
                r.Index,
                number(r.median, ".1f"),
                plus_minus(r.estimate, r.standard_error),
                number(r.true, ".1f"),
                number(r.spread, ".1f"),
            ]
            for r in found.itertuples()
        ]
        words = (
            "A score is reached at the first length from which the median over the chains that "
            f"start at draws from the prior ({found['chains'].max():g}) stays above it."
        )
        if levels:
            of_scores = (f"{label(m)} {level:.2f} nats" for m, level in levels.items())
            words += f" {'; '.join(of_scores)}."
        header = [
            "steps",
            "median (nats)",
            "log mean weight ± standard error",
            "true start",
            "highest minus lowest of all chains",
        ]
        (n,) = runs["n"].unique()
        title = TITLE.format(structure=structure, n=n, transition=transition)
        text += [f"## {title}", words, table(header, rows)]
    return text
