"""Bounds on both sides of the evidence:
`latentdag.study.one_draw.evidence_checks.sandwich_gaps`.
"""

import pandas as pd

from latentdag.report.markdown import counted, listed, pairs, plus_minus
from latentdag.study.one_draw.errors import SURE
from latentdag.study.one_draw.evidence_checks import WIDE, sandwich_gaps

TITLE = "Bounds on both sides of the evidence"


def section(sandwich: pd.DataFrame, truth: str | None) -> list[str]:
    """From the sandwich table of all draws."""
    if sandwich.empty:
        return []
    several = len(set(sandwich["draw"])) > 1
    gaps = sandwich_gaps(sandwich, truth)
    others = (
        "all structures" if truth is None else "other structures, on data simulated from themselves"
    )
    groups = {f"the true structure {truth}": gaps["of_truth"], others: ~gaps["of_truth"]}
    lines = [_line(name, gaps[rows], several) for name, rows in groups.items() if rows.any()]
    return [f"## {TITLE}", "\n".join(lines)]


def _line(name: str, gaps: pd.DataFrame, several_draws: bool) -> str:
    def names(kind: str) -> list[str]:
        rows = gaps[gaps[kind]]
        return pairs(rows, several_draws, lambda r: f" ({plus_minus(r.gap, r.error)} nats)")

    (largest,), wide, crossed = names("largest"), names("wide"), names("crossed")
    return (
        f"- For {name}, {counted(len(gaps), 'pair')} of structure and n: largest gap {largest}; "
        f"over {counted(round(WIDE), 'nat')}: {len(wide)}{listed(wide)}; upper below lower by more "
        f"than {SURE:g} standard errors: {len(crossed)}{listed(crossed)}."
    )
