"""Bounds on both sides of the evidence:
`latentdag.study.one_draw.evidence_checks.sandwich_gaps`.
"""

import pandas as pd

from latentdag.report.markdown import counted, listed, pairs, plus_minus
from latentdag.study.one_draw.errors import SURE
from latentdag.study.one_draw.evidence_checks import WIDE, sandwich_gaps

TITLE = "Bounds on both sides of the evidence"
NOTE = (
    "Runs from the prior bound the ln evidence from below on average. Runs that contain the true "
    "hidden states bound it from above. The gap is the upper minus the lower bound."
)


def section(sandwich: pd.DataFrame, truth: str | None) -> list[str]:
    """From the sandwich table of all draws."""
    if sandwich.empty:
        return []
    several = len(set(sandwich["draw"])) > 1
    gaps = sandwich_gaps(sandwich, truth)
    others = (
        "all structures" if truth is None else "other structures, each on data simulated from it"
    )
    groups = {f"the true structure {truth}": gaps["of_truth"], others: ~gaps["of_truth"]}
    lines = [_line(name, gaps[rows], several) for name, rows in groups.items() if rows.any()]
    return [f"## {TITLE}", NOTE, "\n".join(lines)]


def _line(name: str, gaps: pd.DataFrame, several_draws: bool) -> str:
    def names(kind: str) -> list[str]:
        rows = gaps[gaps[kind]]
        return pairs(rows, several_draws, lambda r: f" ({plus_minus(r.gap, r.error)} nats)")

    (largest,), wide, crossed = names("largest"), names("wide"), names("crossed")
    return (
        f"- For {name}, {counted(len(gaps), 'pair')} of structure and n: the largest gap is "
        f"{largest}; gaps above {counted(round(WIDE), 'nat')}: {len(wide)}{listed(wide)}; upper "
        f"bounds below the lower by more than {SURE:g} standard errors: "
        f"{len(crossed)}{listed(crossed)}."
    )
