"""Calibration: the table of calibration, and of it
`latentdag.study.many_draws.calibration.tests_of_the_reference`,
`latentdag.study.many_draws.calibration.better_than_the_reference` and
`latentdag.study.many_draws.calibration.deviations`.
"""

from collections.abc import Mapping
from math import isinf, isnan

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, table
from latentdag.report.population.cells import KINDS, each_kind, size_table
from latentdag.study.many_draws.calibration import (
    BELOW,
    LEVEL,
    OF_ITSELF,
    PROPER,
    better_than_the_reference,
    deviations,
    tests_of_the_reference,
)
from latentdag.study.one_draw.score_arrays import EVIDENCE

TITLE = "Calibration"
LEAST = 1e-4  # p below which only that is said
NOTE = (
    "The truths are drawn uniformly from the structures. So the exact posterior is calibrated: a "
    "statement with probability 0.7 is true in seven of ten draws. Except for chance, three means "
    "over the draws equal their expected values under the posterior: the accuracy, which is the "
    "share of draws in which its first choice is the truth; the *log score*, which is the mean ln "
    "probability of the truth (in nats; higher is better); and the *Brier score* (lower is "
    "better). z is the difference from the expected value in standard errors, and p the "
    "probability of a difference at least as large by chance."
)
BETTER = (
    "Except for chance, no score can do better than the evidence. The tables have the difference "
    "by which each score is worse than the reference, mean over the draws (p). A score with a "
    "difference below 0 is better."
)
OTHERS = (
    "The other scores against their expected values: z of the accuracy / of the log score / of the "
    "Brier score."
)


def section(calibration: pd.DataFrame) -> list[str]:
    """From the table of calibration; nothing where it is empty."""
    reference = calibration[calibration["method"] == EVIDENCE]
    text = []
    if len(reference):
        text += [_how_many(tests_of_the_reference(calibration))]
        text += each_kind(reference, _of_reference)
    below = {name: calibration[calibration["statistic"] == BELOW + name] for name, _, _ in PROPER}
    if any(map(len, below.values())):
        text += [BETTER, _beaten(*better_than_the_reference(calibration))]
        for name, of_statistic in below.items():
            for kind, words in KINDS.items():
                written = size_table(of_statistic[of_statistic["by"] == kind], _worse)
                if written:
                    text += [f"{name[0].upper()}{name[1:]}. {words}", written]
    z = deviations(calibration)
    if len(z):
        text += [OTHERS, *each_kind(z, lambda rows: size_table(rows, _z))]
    return [f"## {TITLE}", NOTE, *text] if text else []


def _how_many(tests: Mapping) -> str:
    if not tests:
        return f"The {EVIDENCE} cannot be tested."
    low = tests["smallest"]
    return (
        f"{counted(tests['number'], 'test')} of the {EVIDENCE}: p is below {LEVEL:g} in "
        f"{tests['below']} of them; if the {EVIDENCE} is right, {tests['expected']:.1f} are "
        "expected. The "
        f"smallest p is {_p(low['p_value'])} ({low['statistic']} by {low['by']} at n = "
        f"{low['n']}). Corrected for the number of tests (Bonferroni) it is "
        f"{_p(tests['together'])}; this holds however the tests depend on each other, as those at "
        "the nested sizes of one draw do."
    )


def _of_reference(reference: pd.DataFrame) -> str:
    cells = {(r.n, r.statistic): r for r in reference.itertuples()}
    rows = []
    for n in sorted(set(reference["n"])):
        row = [n, max(r.draws for (at, _), r in cells.items() if at == n)]
        for name in OF_ITSELF:
            r = cells.get((n, name))
            row += [_beside(r), _test(r)] if r else ["", ""]
        rows.append(row)
    header = ["n", "draws"]
    for name in OF_ITSELF:
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


def _beaten(number: int, better: int, sure: pd.DataFrame) -> str:
    """How many scores do better than the reference, and how many of them beyond chance."""
    words = (
        f"Better than the reference in {better} of {counted(number, 'comparison')}, with p below "
        f"{LEVEL:g} in {len(sure)}"
    )
    names = [
        f"{label(r.method)} in {r.statistic.removeprefix(BELOW)} by {r.by} at n = {r.n}, "
        f"p {_p(r.p_value)}"
        for r in sure.itertuples()
    ]
    return words + (f": {'; '.join(names)}." if names else ".")


def _worse(r) -> str:
    gap = plus_minus(r.value, r.standard_error, "+")
    return gap if pd.isna(r.p_value) else f"{gap} ({_p(r.p_value)})"


def _z(r) -> str:
    values = (r.accuracy, r.log_score, r.Brier_score)
    return " / ".join(_deviation(z, "+z.1f") for z in values)
