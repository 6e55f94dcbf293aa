"""AIS, VB and BIC against the evidence: `latentdag.study.one_draw.distances.nearer` and
`latentdag.study.one_draw.distances.sizes_in_order`.
"""

from collections.abc import Mapping
from itertools import pairwise
from math import nan

import pandas as pd

from latentdag.report.markdown import counted, joined, label, number, place, table
from latentdag.study.one_draw.distances import MEASURES, nearer, sizes_in_order
from latentdag.study.paper.numbers import BEST_FIRST

TITLE = "AIS, VB and BIC against the evidence"
BY_ERROR, BY_RANK, BY_ORDER = MEASURES
SHORT = {BY_ERROR: "error", BY_RANK: "rank off by", BY_ORDER: "correlation"}
NOTE = (
    "The paper could not measure how near its scores are to the evidence, and does not order them "
    "by that; this section is ours. The table has the mean absolute error over the structures, in "
    "nats; the distance of the true structure's rank from the reference's interval; and the rank "
    "correlation of the scores of all structures with the reference."
)


def section(measures: Mapping[str, pd.DataFrame]) -> list[str]:
    """From `latentdag.study.one_draw.distances.measures` of one draw."""
    methods = [m for m in BEST_FIRST if m in measures[BY_ERROR]]
    if not methods:
        return []
    show = {
        BY_ERROR: lambda v: number(v, ".2f"),
        BY_RANK: place,
        BY_ORDER: lambda v: number(1 - v, "z.3f"),
    }
    columns = [(what, m) for what, found in measures.items() for m in methods if m in found]
    rows = [
        [n, *(show[what](measures[what][m].get(n, nan)) for what, m in columns)]
        for n in measures[BY_ERROR].index
    ]
    header = ["n", *(f"{label(m)}: {SHORT[what]}" for what, m in columns)]
    text = [f"## {TITLE}", NOTE, table(header, rows)]
    lines = [_against(a, b, nearer(measures, a, b)) for a, b in pairwise(methods)]
    if len(methods) > 1:
        order = ", then ".join(map(label, methods))
        for what, (right, sizes, others) in sizes_in_order(measures, methods).items():
            line = f"- By {what}, {order} is the order at {right} of {counted(sizes, 'size')}"
            lines.append(line + (f"; not at n = {joined(others)}." if others else "."))
    return [*text, "\n".join(lines)] if lines else text


def _against(a: str, b: str, found: Mapping[str, tuple]) -> str:
    """At how many sizes one method is nearer to the evidence than the other, by each measure."""
    better, worse, equal, sizes = found[BY_ERROR]
    line = f"- {label(a)} against {label(b)}: smaller mean absolute error at {better} of "
    line += counted(better + worse + equal, "size")
    if better and worse:
        line += f", n = {joined(sizes)}"
    if BY_RANK in found:
        better, worse, equal, _ = found[BY_RANK]
        line += (
            f"; rank of the true structure nearer to the reference's at {better}, farther at "
            f"{worse}, equally near at {equal}"
        )
    if BY_ORDER in found:
        better, worse, equal, _ = found[BY_ORDER]
        line += (
            f"; all structures ordered more like the reference at {better}, less at {worse}, "
            f"equally well at {equal}"
        )
    return line + "."
