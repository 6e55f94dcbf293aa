"""Variants of the scores: `latentdag.study.one_draw.score_differences`."""

import pandas as pd

from latentdag.report.markdown import counted, label
from latentdag.study.one_draw.score_differences import VARIANTS, rank_gaps, score_gaps

TITLE = "Variants of the scores"


def section(ranks: pd.DataFrame, scores: pd.DataFrame) -> list[str]:
    """From the tables of one draw."""
    lines = []
    for a, b in VARIANTS:
        words = []
        if gaps := rank_gaps(ranks, a, b):
            words.append(
                f"ranks of the true structure differ at {gaps['differ']} of "
                f"{counted(gaps['sizes'], 'size')}, by {gaps['mean']:.1f} on average and by at "
                f"most {gaps['largest']:g} (n = {gaps['at']})"
            )
        if gaps := score_gaps(scores, a, b):
            words.append(
                f"{label(a)} - {label(b)}: median {gaps['median']:.2f}, from "
                f"{gaps['lowest']:.2f} to {gaps['highest']:.2f} nats over all structures and sizes"
            )
            if b == "cs":
                words.append(
                    f"CS lies above VB, which a theorem rules out, in {gaps['below']} of "
                    f"{counted(gaps['number'], 'fit')}"
                )
        if words:
            lines.append(f"- {label(a)} and {label(b)}: {'; '.join(words)}.")
    return [f"## {TITLE}", "\n".join(lines)] if lines else []
