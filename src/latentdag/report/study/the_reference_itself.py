"""The reference itself: `latentdag.study.one_draw.evidence_checks.against_exact`, `missed_targets`
and `above_reference`.
"""

from collections.abc import Mapping
from math import isinf

import pandas as pd

from latentdag.report.markdown import counted, joined, label, listed, number, pairs
from latentdag.scores.reference import JOB, LOOSER
from latentdag.study.one_draw.errors import SURE
from latentdag.study.one_draw.evidence_checks import above_reference, against_exact, missed_targets

TITLE = "The reference itself"


def section(scores: pd.DataFrame, errors: pd.DataFrame, config: Mapping) -> list[str]:
    """From the tables of all draws, and the study's settings: those of ``reference`` are read, each
    its default where it is absent.
    """
    known = scores[scores["score"].notna()]
    if "reference" not in set(known["method"]):
        return []
    settings = JOB.defaults() | config.get("reference", {})
    lines = [*_against_exact(against_exact(known)), _targets(known, settings)]
    lines += [
        f"- {label(r.Index)}, a lower bound, lies above the reference by more than {SURE:g} "
        f"standard errors in {r.above} of {counted(r.pairs, 'pair')}."
        for r in above_reference(errors).itertuples()
    ]
    return [f"## {TITLE}", "\n".join(lines)]


def _against_exact(z: Mapping) -> list[str]:
    lines = []
    if z["wrong"]:
        names = [f"{structure} at n = {n}" for structure, n in z["wrong"]]
        lines.append(
            f"- The reference claims to be exact and is not, in {counted(len(names), 'pair')}"
            f"{listed(names)}."
        )
    if z["number"]:
        spread = f"standard deviation {z['deviation']:.2f}, " if z["number"] > 1 else ""
        lines.append(
            f"- Reference minus exact in standard errors at n = {joined(z['sizes'])}: mean "
            f"{z['mean']:+.2f}, {spread}largest {z['largest']:+.2f} ({z['structure']}), over "
            f"{counted(z['number'], 'structure')}.{_by_chance(z)}"
        )
    return lines


def _by_chance(z: Mapping) -> str:
    """What the largest of the ratios is by chance, and how much it is in nats."""
    if "probability" not in z:
        return ""
    runs = f"{z['fewest']}" + (f" to {z['most']}" if z["fewest"] < z["most"] else "")
    return (
        f" Each standard error is estimated from {runs} runs, so that a ratio follows Student's t. "
        f"By chance alone the largest of {z['number']} then has the median {z['median']:.2f}, and "
        f"is above {z['high']:.2f} with probability 0.05; it is at least as large as here with "
        f"probability {z['probability']:.2g}. For this structure the difference is "
        f"{z['nats']:+.4f} nats and its standard error {z['error']:.4f}; the mean standard error "
        f"is {z['usual_error']:.4f}."
    )


def _targets(scores: pd.DataFrame, settings: Mapping) -> str:
    reference = scores[scores["method"] == "reference"]
    missed = missed_targets(scores, settings["target"])
    several = len(set(reference["draw"])) > 1
    names = pairs(missed, several, lambda r: f" ({number(r.standard_error, '.2f') or 'none'})")
    up_to = ", ".join(
        f"{times * settings['target']:g} " + (f"up to n = {n:g}" if not isinf(n) else "above")
        for n, times in LOOSER.items()
    )
    verb = "misses its target" if len(missed) == 1 else "miss theirs"
    return (
        f"- Standard error targets ({up_to}): {len(missed)} of {counted(len(reference), 'pair')} "
        f"{verb}{listed(names)}."
    )
