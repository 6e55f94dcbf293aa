"""Is the paper's ordering right once the evidence is known? `latentdag.study.ordering`."""

from collections.abc import Mapping
from itertools import pairwise

import pandas as pd

from latentdag.report.markdown import counted, joined, label, number, place, table
from latentdag.study.ordering import MEASURES
from latentdag.study.paper import BEST_FIRST
from latentdag.study.ranks import beats

TITLE = "Is the paper's ordering right once the evidence is known?"
BY_ERROR, BY_RANK, BY_ORDER = MEASURES
SAYS = {
    BY_ERROR: "Mean absolute error over the structures, in nats:",
    BY_RANK: (
        "Distance of the true structure's rank from the reference's, 0 within the reference's "
        "interval:"
    ),
    BY_ORDER: "Rank correlation of the scores of all structures with the reference:",
}


def section(measures: Mapping[str, pd.DataFrame]) -> list[str]:
    """From `latentdag.study.ordering.measures` of one draw."""
    if measures[BY_ERROR].empty:
        return []
    text = [f"## {TITLE}"]
    show = {
        BY_ERROR: lambda v: number(v, ".2f"),
        BY_RANK: place,
        BY_ORDER: lambda v: number(1 - v, ".3f"),
    }
    for what, found in measures.items():
        if len(found):
            rows = [[n, *map(show[what], found.loc[n])] for n in found.index]
            text += [SAYS[what], table(["n", *map(label, found)], rows)]
    lines = [
        _against(a, b, measures)
        for a, b in pairwise(m for m in BEST_FIRST if m in measures[BY_ERROR])
    ]
    return [*text, "\n".join(lines)] if lines else text


def _against(a: str, b: str, measures: Mapping[str, pd.DataFrame]) -> str:
    """At how many sizes one method is nearer to the evidence than the other, by each measure."""
    size, away, order = measures.values()
    better, worse, equal = beats(size[a], size[b])
    line = f"- {label(a)} against {label(b)}: smaller mean absolute error at {better} of "
    line += counted(better + worse + equal, "size")
    if better and worse:
        line += f", n = {joined(size.index[size[a] < size[b]])}"
    if {a, b} <= set(away):
        better, worse, equal = beats(away[a], away[b])
        line += (
            f"; rank of the true structure nearer to the reference's at {better}, farther at "
            f"{worse}, equally near at {equal}"
        )
    if len(order) and {a, b} <= set(order):
        better, worse, equal = beats(order[a], order[b])
        line += (
            f"; all structures ordered more like the reference at {better}, less at {worse}, "
            f"equally well at {equal}"
        )
    return line + "."
