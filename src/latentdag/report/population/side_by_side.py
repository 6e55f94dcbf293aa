"""Side by side: the table of comparisons, each score against BIC, VB and the reference."""

import pandas as pd

from latentdag.report.markdown import counted, label, number, share, table
from latentdag.report.population.cells import KINDS, each_kind
from latentdag.study.schema.frames import present

TITLE = "Side by side"
AGAINST = ("bic", "vb", "reference")
NOTE = (
    "The table compares the numbers of cases that two scores need to find the truth on the same "
    "draws. A score that never finds it counts as later. The *factor* is the number that the "
    "second score needs divided by the number that the first score needs: its median over the "
    "draws in which both find the truth, with its 95 % interval."
)


def section(comparisons: pd.DataFrame) -> list[str]:
    """From the table of comparisons."""
    if comparisons.empty:
        return []
    lines = [_vb_against_bic(r, kind) for kind in KINDS for r in _pair(comparisons, kind)]
    text = [f"## {TITLE}", NOTE, *(["\n".join(lines)] if lines else [])]
    return [*text, *each_kind(comparisons, _table)]


def _pair(comparisons: pd.DataFrame, kind: str) -> list:
    of = (comparisons["method"] == "vb") & (comparisons["other"] == "bic")
    return list(comparisons[of & (comparisons["by"] == kind)].itertuples())


def _vb_against_bic(r, kind: str) -> str:
    line = (
        f"- VB against BIC by {kind}, over {counted(r.draws, 'draw')}: VB needs fewer cases in "
        f"{r.earlier}, more in {r.later}, and the same number in {r.same}; in {r.undecided} "
        "neither finds the truth."
    )
    if r.earlier + r.later:
        line += (
            f" VB is earlier in {share(r.share_earlier, r.low, r.high)} of the draws in which the "
            "two differ."
        )
    if not pd.isna(r.factor):
        line += f" If both find it, the ratio of sample sizes, BIC to VB, is {_factor(r)}."
    return line


def _factor(r) -> str:
    if pd.isna(r.factor):
        return ""
    ends = "" if pd.isna(r.factor_low) else f" ({r.factor_low:.3g} to {r.factor_high:.3g})"
    return number(r.factor, ".3g") + ends


def _table(comparisons: pd.DataFrame) -> str:
    """A row for each score against each of `AGAINST`; no pair twice."""
    cells = {(r.method, r.other): r for r in comparisons.itertuples()}
    methods = present(comparisons["method"])
    pairs = [(m, other) for other in AGAINST for m in methods if (m, other) in cells]
    pairs = [(m, o) for i, (m, o) in enumerate(pairs) if (o, m) not in pairs[:i]]
    rows = []
    for pair in pairs:
        r = cells[pair]
        decided = share(r.share_earlier, r.low, r.high)
        rows.append(
            [*map(label, pair), r.earlier, r.later, r.same, r.undecided, decided, _factor(r)]
        )
    header = ["score", "against", "earlier", "later", "same", "neither", "share earlier", "factor"]
    return table(header, rows)
