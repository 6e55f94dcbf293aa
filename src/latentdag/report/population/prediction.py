"""Prediction: the table of populations,
`latentdag.study.many_draws.prediction.wrong_against_true` and
`latentdag.study.many_draws.prediction.apart_from_the_evidence`.
"""

import pandas as pd

from latentdag.report.markdown import counted, joined, plus_minus, table_of
from latentdag.report.population.cells import each_kind, size_table
from latentdag.study.many_draws.prediction import (
    SURE,
    apart_from_the_evidence,
    wrong_against_true,
)

TITLE = "Prediction"
UNIT = "thousandths of a nat per case"
NOTE = (
    "The loss is the ln probability of the cases from n to the next size under the true "
    "parameters, minus their ln predictive density under the structures that a score picks, which "
    f"the reference computes, in {UNIT}. The tables have means over the draws."
)
WRONG = {
    "n": lambda r: r.Index,
    "draws": lambda r: r.draws,
    f"excess loss of the wrong structures ({UNIT})": lambda r: _milli(
        r.mean, r.standard_error, "+"
    ),
    "draws: worse": lambda r: r.worse,
}


def section(population: pd.DataFrame, verdicts: pd.DataFrame) -> list[str]:
    """From the tables of populations and verdicts."""
    of_top = each_kind(population, lambda rows: size_table(rows, _by_top))
    if not of_top:
        return []
    average = each_kind(population, lambda rows: size_table(rows, _by_average))
    text = [f"## {TITLE}", NOTE, "Loss of the structure (class) that the score picks.", *of_top]
    if average:
        text += [
            "Loss of the average over all structures (classes), each weighted with its "
            "probability.",
            *average,
        ]
    return [*text, *_wrong(verdicts), *_apart(verdicts)]


def _by_top(r) -> str:
    return _milli(r.lost_by_top, r.lost_by_top_se)


def _by_average(r) -> str:
    return _milli(r.lost_by_average, r.lost_by_average_se)


def _milli(value: float, error: float, sign: str = "") -> str:
    return plus_minus(1000 * value, 1000 * error, sign)


def _wrong(verdicts: pd.DataFrame) -> list[str]:
    found = wrong_against_true(verdicts)
    if found.empty:
        return []
    sure, better = (found.index[found["sure"] == sign] for sign in (1, -1))
    words = (
        "Does a wrong structure predict worse than the true one? The two are compared on each draw "
        "in which some scores pick the true structure and others do not. The wrong one is worse by "
        f"more than {SURE:g} standard errors at {len(sure)} of {counted(len(found), 'size')}"
        + (f" (n = {joined(sure)})" if len(sure) else "")
        + f", better by as much at {len(better)}"
        + (f" (n = {joined(better)})" if len(better) else "")
        + "."
    )
    return [words, table_of(found, WRONG)]


def _apart(verdicts: pd.DataFrame) -> list[str]:
    found = apart_from_the_evidence(verdicts)
    if found.empty:
        return []
    words = (
        "Excess loss over the reference's pick: loss of the structure that a score picks minus "
        f"loss of the one that the reference picks, in {UNIT}, mean over the draws in which they "
        "differ (number of draws)."
    )
    cells = size_table(
        found.reset_index(),
        lambda r: f"{_milli(r.mean, r.standard_error, '+')} ({r.draws})",
    )
    return [words, cells]
