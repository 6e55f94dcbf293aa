"""VB against BIC as n grows: `latentdag.study.one_draw.score_differences.difference_by_size` and
`growth_in_short`.
"""

from math import isnan

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.study.one_draw.score_differences import difference_by_size, growth_in_short

TITLE = "VB against BIC as n grows"
OTHERS = ("bic", "bic_dim")
NOTE = (
    "VB minus BIC in nats, over the structures. By the thesis (sec. 2.6.1) the difference stays "
    "bounded. But it grows by 1/2 nat per unit of ln n for each parameter that BIC penalises and "
    "VB does not. Such parameters are those of hidden variables without children, which d counts "
    "and VB leaves out, and perhaps parameters that the data do not identify. The difference falls "
    "at the same rate if VB penalises more parameters. At small n it may rise or fall faster."
)


def section(scores: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of scores of one draw."""
    gaps = {m: difference_by_size(scores, truth, m) for m in OTHERS}
    gaps = {m: by_size for m, by_size in gaps.items() if len(by_size)}
    if not gaps:
        return []
    header = ["n"]
    for m in gaps:
        less = f"VB minus {label(m)}"
        header += [f"{less}: true structure", f"{less}: median", f"{less}: lowest to highest"]
    sizes = sorted(set().union(*(of.index for of in gaps.values())))
    rows = [[n, *(cell for of in gaps.values() for cell in _cells(of, n))] for n in sizes]
    lines = [_growth(scores, truth, m) for m in gaps]
    text = [f"## {TITLE}", NOTE, table(header, rows)]
    return [*text, "\n".join(filter(None, lines))] if any(lines) else text


def _cells(gaps: pd.DataFrame, n: int) -> list[str]:
    if n not in gaps.index:
        return ["", "", ""]
    row = gaps.loc[n]
    return [
        *(number(row[c], "z.2f") for c in ("true", "median")),
        f"{row['lowest']:z.2f} to {row['highest']:z.2f}",
    ]


def _growth(scores: pd.DataFrame, truth: str | None, other: str) -> str:
    found = growth_in_short(scores, truth, other)
    if not found:
        return ""
    of_truth = "" if isnan(found["true"]) else f"{found['true']:+z.2f} for the true structure, "
    return (
        f"- Growth of VB minus {label(other)} from n = {found['first']} to {found['last']}, in "
        f"nats per unit of ln n: {of_truth}median {found['median']:+z.2f}, from "
        f"{found['lowest']:+z.2f} ({found['slowest']}) to {found['highest']:+z.2f} "
        f"({found['fastest']})."
    )
