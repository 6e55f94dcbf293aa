"""VB against BIC as n grows: `latentdag.study.one_draw.score_differences`."""

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.study.one_draw.score_differences import difference_by_size, growth, growth_window

TITLE = "VB against BIC as n grows"
OTHERS = ("bic", "bic_dim")
NOTE = (
    "In nats, over the structures. By the thesis (sec. 2.6.1) the difference stays bounded. It "
    "goes on growing by 1/2 nat per unit of ln n for each parameter that BIC pays for and VB does "
    "not: for those of hidden variables without children, which d counts and VB leaves out, and "
    "perhaps where the data cannot tell all parameters apart; and it falls likewise where VB pays "
    "for more. Before that limit it may rise or fall faster."
)


def section(scores: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of scores of one draw."""
    found = {m: difference_by_size(scores, truth, m) for m in OTHERS}
    found = {m: own for m, own in found.items() if len(own)}
    if not found:
        return []
    header = ["n"]
    for m in found:
        less = f"VB minus {label(m)}"
        header += [f"{less}: true structure", f"{less}: median", f"{less}: lowest to highest"]
    sizes = sorted(set().union(*(own.index for own in found.values())))
    rows = [[n, *(cell for own in found.values() for cell in _cells(own, n))] for n in sizes]
    lines = [_growth(scores, truth, m) for m in found]
    text = [f"## {TITLE}", NOTE, table(header, rows)]
    return [*text, "\n".join(filter(None, lines))] if any(lines) else text


def _cells(found: pd.DataFrame, n: int) -> list[str]:
    if n not in found.index:
        return ["", "", ""]
    own = found.loc[n]
    return [
        *(number(own[c], "z.2f") for c in ("true", "median")),
        f"{own['lowest']:z.2f} to {own['highest']:z.2f}",
    ]


def _growth(scores: pd.DataFrame, truth: str | None, other: str) -> str:
    ends, found = growth_window(scores, other), growth(scores, other)
    if found.empty:
        return ""
    own = f"{found[truth]:+z.2f} for the true structure, " if truth in found else ""
    return (
        f"- Growth of VB minus {label(other)} from n = {ends[0]} to {ends[1]}, in nats per unit of "
        f"ln n: {own}median {found.median():+z.2f}, from {found.min():+z.2f} ({found.idxmin()}) to "
        f"{found.max():+z.2f} ({found.idxmax()})."
    )
