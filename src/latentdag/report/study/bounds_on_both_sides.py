"""Bounds on both sides of the evidence:
`latentdag.study.one_draw.evidence_checks.sandwich_in_short`.
"""

import pandas as pd

from latentdag.report.markdown import counted, listed, pairs, plus_minus
from latentdag.study.one_draw.errors import SURE
from latentdag.study.one_draw.evidence_checks import WIDE, Gaps, sandwich_in_short

TITLE = "Bounds on both sides of the evidence"


def section(sandwich: pd.DataFrame, truth: str | None) -> list[str]:
    """From the sandwich table of all draws."""
    if sandwich.empty:
        return []
    several = len(set(sandwich["draw"])) > 1
    others = (
        "all structures" if truth is None else "other structures, on data simulated from themselves"
    )
    names = {True: f"the true structure {truth}", False: others}
    lines = [
        _line(names[of_truth], gaps, several)
        for of_truth, gaps in sandwich_in_short(sandwich, truth).items()
    ]
    return [f"## {TITLE}", "\n".join(lines)]


def _line(name: str, gaps: Gaps, several_draws: bool) -> str:
    def names(rows: pd.DataFrame) -> list[str]:
        return pairs(rows, several_draws, lambda r: f" ({plus_minus(r.gap, r.error)} nats)")

    (largest,) = names(gaps.largest)
    return (
        f"- For {name}, {counted(gaps.pairs, 'pair')} of structure and n: largest gap {largest}; "
        f"over {counted(round(WIDE), 'nat')}: {len(gaps.wide)}{listed(names(gaps.wide))}; upper "
        f"below lower by more than {SURE:g} standard errors: {len(gaps.crossed)}"
        f"{listed(names(gaps.crossed))}."
    )
