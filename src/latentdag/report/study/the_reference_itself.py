"""The reference itself: `latentdag.study.one_draw.evidence_checks.z_scores`, `missed_targets` and
`above_reference`.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from latentdag.report.markdown import counted, joined, label, listed, number, pairs
from latentdag.scores.reference import JOB, LOOSER
from latentdag.study.one_draw.errors import SURE
from latentdag.study.one_draw.evidence_checks import above_reference, missed_targets, z_scores

TITLE = "The reference itself"


def section(scores: pd.DataFrame, errors: pd.DataFrame, config: Mapping) -> list[str]:
    """From the tables of all draws, and the study's settings: those of ``reference`` are read, each
    its default where it is absent.
    """
    known = scores[scores["score"].notna()]
    if "reference" not in set(known["method"]):
        return []
    settings = JOB.defaults() | config.get("reference", {})
    lines = [*_against_exact(known), _targets(known, settings)]
    lines += [
        f"- {label(r.Index)}, a lower bound, lies above the reference by more than {SURE:g} "
        f"standard errors in {r.above} of {counted(r.pairs, 'pair')}."
        for r in above_reference(errors).itertuples()
    ]
    return [f"## {TITLE}", "\n".join(lines)]


def _against_exact(scores: pd.DataFrame) -> list[str]:
    z = z_scores(scores)
    wrong, z = z[np.isinf(z)], z[np.isfinite(z)]
    lines = []
    if len(wrong):
        names = [f"{structure} at n = {n}" for _, n, structure in wrong.index]
        lines.append(
            f"- The reference claims to be exact and is not, in {counted(len(wrong), 'pair')}"
            f"{listed(names)}."
        )
    if len(z):
        where = z.abs().idxmax()
        sizes = joined(sorted(set(z.index.get_level_values("n"))))
        spread = f"standard deviation {z.std():.2f}, " if len(z) > 1 else ""
        lines.append(
            f"- Reference minus exact in standard errors at n = {sizes}: mean {z.mean():+.2f}, "
            f"{spread}largest {z[where]:+.2f} ({where[2]}), over {counted(len(z), 'structure')}."
        )
    return lines


def _targets(scores: pd.DataFrame, settings: Mapping) -> str:
    own = scores[scores["method"] == "reference"]
    missed = missed_targets(scores, settings["target"])
    several = own["draw"].nunique() > 1
    names = pairs(missed, several, lambda r: f" ({number(r.standard_error, '.2f') or 'none'})")
    up_to = ", ".join(
        f"{times * settings['target']:g} " + (f"up to n = {n:g}" if np.isfinite(n) else "above")
        for n, times in LOOSER.items()
    )
    verb = "misses its target" if len(missed) == 1 else "miss theirs"
    return (
        f"- Standard error targets ({up_to}): {len(missed)} of {counted(len(own), 'pair')} {verb}"
        f"{listed(names)}."
    )
