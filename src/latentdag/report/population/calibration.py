"""Calibration: the table of calibration."""

from math import isinf, isnan

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, table
from latentdag.report.population.cells import KINDS, by_kind, by_size

TITLE = "Calibration"
EVIDENCE = "reference"
OWN = ("accuracy", "log score", "Brier score")
BELOW = "below the reference in "
LEVEL, LEAST = 0.05, 1e-4  # p that is told of; below the second, only that it is
NOTE = (
    "The truths are drawn uniformly from the structures. So the exact posterior is right about "
    "itself: what it gives a probability of 0.7 is true in seven of ten draws, and the share of "
    "draws in which its first choice is the truth, the mean ln probability of the truth (*log "
    "score*, in nats; higher is better) and the mean *Brier score* (lower is better) are, but for "
    "chance, what it expects them to be. z is the difference in standard errors, p the "
    "probability of one as large by chance."
)
BETTER = (
    "No score can do better than the evidence, but by chance. Below: by how much each is worse "
    "than the reference, mean over the draws (p). A difference below 0 would be for the better."
)
OTHERS = (
    "The other scores beside what they expect of themselves: z of accuracy / of the log score / of "
    "the Brier score."
)


def section(calibration: pd.DataFrame) -> list[str]:
    """From the table of calibration; nothing where it is empty."""
    reference = calibration[calibration["method"] == EVIDENCE]
    others = calibration[calibration["method"] != EVIDENCE]
    text = []
    if len(reference):
        text += [_how_many(reference), *by_kind(reference, _of_reference)]
    below = {name: others[others["statistic"] == BELOW + name] for name in OWN[1:]}
    if any(len(own) for own in below.values()):
        text += [BETTER, _beaten(pd.concat(below.values()))]
        for name, own in below.items():
            for kind, words in KINDS.items():
                written = by_size(own[own["by"] == kind], _worse)
                if written:
                    text += [f"{name[0].upper()}{name[1:]}. {words}", written]
    own = others[others["statistic"].isin(OWN)]
    if len(own):
        text += [OTHERS, *by_kind(own, _z)]
    return [f"## {TITLE}", NOTE, *text] if text else []


def _how_many(reference: pd.DataFrame) -> str:
    known = reference[reference["statistic"].isin(OWN)].dropna(subset="z")
    if known.empty:
        return f"The {EVIDENCE} cannot be tested."
    low = known.loc[known["p_value"].idxmin()]
    return (
        f"{counted(len(known), 'test')} of the {EVIDENCE}: p is below {LEVEL:g} in "
        f"{(known['p_value'] < LEVEL).sum()} of them, where chance would leave "
        f"{LEVEL * len(known):.1f}. The smallest p is {_p(low['p_value'])} "
        f"({low['statistic']} by {low['by']} at n = {low['n']}). Sizes of one draw are nested, so "
        "that the tests are not independent. However they depend on each other, for all of them at "
        f"once p is at most {_p(min(1.0, len(known) * low['p_value']))} (Bonferroni)."
    )


def _of_reference(own: pd.DataFrame) -> str:
    rows = []
    for n, at_n in own.groupby("n"):
        cells = {r.statistic: r for r in at_n.itertuples()}
        row = [n, max(r.draws for r in cells.values())]
        for name in OWN:
            r = cells.get(name)
            row += [_beside(r), _test(r)] if r else ["", ""]
        rows.append(row)
    header = ["n", "draws"]
    for name in OWN:
        header += [f"{name} (expected)", f"{name}: z (p)"]
    return table(header, rows)


def _p(value: float) -> str:
    return f"below {LEAST:g}" if value < LEAST else f"{value:.2g}"


def _deviation(z: float, form: str) -> str:
    """z, which has no number where nothing is uncertain."""
    return "none" if isnan(z) else f"{'+' if z > 0 else '-'}∞" if isinf(z) else format(z, form)


def _beside(r) -> str:
    return f"{r.value:z.3f} ({r.expected:z.3f} ± {r.standard_error:.3f})"


def _test(r) -> str:
    return "none" if isnan(r.z) else f"{_deviation(r.z, '+z.2f')} ({_p(r.p_value)})"


def _beaten(below: pd.DataFrame) -> str:
    """How many scores do better than the reference, and how many of them beyond chance."""
    known = below.dropna(subset="z")
    better = known[known["z"] < 0]
    sure = better[better["p_value"] < LEVEL]
    words = (
        f"Better than the reference in {len(better)} of {counted(len(known), 'comparison')}, with "
        f"p below {LEVEL:g} in {len(sure)}"
    )
    names = [
        f"{label(r.method)} in {r.statistic.removeprefix(BELOW)} by {r.by} at n = {r.n}, "
        f"p {_p(r.p_value)}"
        for r in sure.itertuples()
    ]
    return words + (f": {'; '.join(names)}." if names else ".")


def _worse(r) -> str:
    found = plus_minus(r.value, r.standard_error, "+")
    return found if pd.isna(r.p_value) else f"{found} ({_p(r.p_value)})"


def _z(own: pd.DataFrame) -> str:
    wide = own.pivot(index=["method", "n"], columns="statistic", values="z")
    wide = wide.reindex(columns=OWN).rename(columns=dict(zip(OWN, "abc", strict=True)))
    return by_size(
        wide.reset_index(),
        lambda r: " / ".join(_deviation(v, "+z.1f") for v in (r.a, r.b, r.c)),
    )
