"""Fitted parameters of the most probable structure:
`latentdag.study.own_data.fitted.map_estimate`.
"""

from math import isnan

import pandas as pd

from latentdag.report.markdown import table
from latentdag.study.own_data.fitted import map_estimate

TITLE = "Fitted parameters of {structure}"
ENOUGH = 100  # effective draws


def section(parameters: pd.DataFrame, best: str) -> list[str]:
    """The posterior means of the structure ``best`` with intervals: a row for each state of the
    parents.
    """
    fitted, rows = map_estimate(parameters, best), {}
    for r in fitted.itertuples():
        rows.setdefault((r.variable, r.given), []).append(_probability(r))
    return [
        f"## {TITLE.format(structure=best)}",
        f"The probability of each value, given the states of its causes: {_of_what(fitted)}. "
        "The states of a hidden variable have no order: the largest is first. "
        + _of_draws(fitted["effective_draws"].min()),
        table(
            ["variable", "given", "probabilities"],
            [[*key, "; ".join(probabilities)] for key, probabilities in rows.items()],
        ),
    ]


def _probability(r) -> str:
    """A value, its probability and its interval, if there is one."""
    interval = f" ({r.low:.3f} to {r.high:.3f})" if r.low == r.low else ""
    return f"{r.value}: {r.shown:.3f}{interval}"


def _of_what(fitted: pd.DataFrame) -> str:
    """The estimate that is shown."""
    if fitted["mean"].isna().all():
        return "the MAP estimate"
    return (
        "the mean of its posterior, and in brackets the interval that holds 90 % of it (5 % lie on "
        "either side); `parameters.csv` has the MAP estimate too"
    )


def _of_draws(worth: float) -> str:
    """Where the intervals come from, and whether they can be trusted."""
    if isnan(worth):
        return "There are no intervals, because the states can be relabelled in too many ways."
    words = (
        "The intervals come from draws of the posterior in which the states keep their labels. The "
        f"effective number of draws is at least {worth:.0f} for each probability."
    )
    if worth < ENOUGH:
        words += (
            f" An interval from fewer than {ENOUGH} effective draws is not reliable: see the "
            "column effective_draws of `parameters.csv`."
        )
    return words
