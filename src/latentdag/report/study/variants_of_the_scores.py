"""Variants of the scores: `latentdag.study.one_draw.score_differences`."""

import pandas as pd

from latentdag.report.markdown import counted, label
from latentdag.study.one_draw.errors import SLACK
from latentdag.study.one_draw.score_differences import VARIANTS, rank_gap, score_gap

TITLE = "Variants of the scores"


def section(ranks: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    """From the tables of one draw."""
    lines = []
    for a, b in VARIANTS:
        words = []
        gap = rank_gap(ranks, a, b)
        if len(gap):
            words.append(
                f"ranks of the true structure differ at {(gap > 0).sum()} of "
                f"{counted(len(gap), 'size')}, by {gap.mean():.1f} on average and by at most "
                f"{gap.max():g} (n = {gap.idxmax()})"
            )
        gap = score_gap(scores, a, b)
        if len(gap):
            words.append(
                f"{label(a)} - {label(b)}: median {gap.median():.2f}, from {gap.min():.2f} to "
                f"{gap.max():.2f} nats over all structures and sizes"
            )
            if b == "cs":
                words.append(
                    f"CS above VB, which must not be, in {(gap < -SLACK).sum()} of "
                    f"{counted(len(gap), 'fit')}"
                )
        if words:
            lines.append(f"- {label(a)} and {label(b)}: {'; '.join(words)}.")
    return [f"## {TITLE}", "\n".join(lines)] if lines else []
