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
    """The MAP estimate of the structure ``best`` with intervals: a row for each state of the
    parents.
    """
    fitted, rows = map_estimate(parameters, best), {}
    for r in fitted.itertuples():
        rows.setdefault((r.variable, r.given), []).append(_probability(r))
    return [
        f"## {TITLE.format(structure=best)}",
        "The probability of each value, given the states of its causes: at the MAP estimate, and "
        "in brackets the interval that holds 90 % of its posterior probability (5 % lie on either "
        "side). The states of a hidden variable have no order: the largest is first. "
        + _of_draws(fitted["effective_draws"].min()),
        table(
            ["variable", "given", "probabilities"],
            [[*key, "; ".join(probabilities)] for key, probabilities in rows.items()],
        ),
    ]


def _probability(r) -> str:
    """A value, its probability and its interval, if there is one."""
    interval = f" ({r.low:.3f} to {r.high:.3f})" if r.low == r.low else ""
    return f"{r.value}: {r.probability:.3f}{interval}"


def _of_draws(worth: float) -> str:
    """Where the intervals come from, and whether they can be trusted."""
    if isnan(worth):
        return "There are no intervals: the states can be named in too many ways."
    words = (
        "The intervals come from draws of the posterior in which the states keep their names, "
        f"worth {worth:.0f} independent draws or more for each probability."
    )
    if worth < ENOUGH:
        words += (
            f" Below {ENOUGH} an interval is not to be trusted: `parameters.csv` says of which "
            "(effective_draws)."
        )
    return words
