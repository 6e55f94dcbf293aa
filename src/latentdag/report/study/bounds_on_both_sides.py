"""Bounds on both sides of the evidence:
`latentdag.study.one_draw.evidence_checks.sandwich_gaps`."""

import pandas as pd

from latentdag.report.markdown import counted, listed, pairs, plus_minus
from latentdag.study.one_draw.errors import SURE
from latentdag.study.one_draw.evidence_checks import WIDE, sandwich_gaps

TITLE = "Bounds on both sides of the evidence"


def section(sandwich: pd.DataFrame, truth: str | None) -> list[str]:
    """From the sandwich table of all draws."""
    if sandwich.empty:
        return []
    found = sandwich_gaps(sandwich)
    several = sandwich["draw"].nunique() > 1
    true = found["structure"] == truth
    others = (
        "all structures" if truth is None else "other structures, on data simulated from themselves"
    )
    groups = {f"the true structure {truth}": found[true], others: found[~true]}
    lines = [_line(name, own, several) for name, own in groups.items() if len(own)]
    return [f"## {TITLE}", "\n".join(lines)]


def _line(name: str, own: pd.DataFrame, several_draws: bool) -> str:
    def names(rows: pd.DataFrame) -> list[str]:
        return pairs(rows, several_draws, lambda r: f" ({plus_minus(r.gap, r.error)} nats)")

    (largest,) = names(own.loc[[own["gap"].idxmax()]])
    wide, crossed = own[own["wide"]], own[own["crossed"]]
    return (
        f"- For {name}, {counted(len(own), 'pair')} of structure and n: largest gap {largest}; "
        f"over {counted(round(WIDE), 'nat')}: {len(wide)}{listed(names(wide))}; upper below lower "
        f"by more than {SURE:g} standard errors: {len(crossed)}{listed(names(crossed))}."
    )
