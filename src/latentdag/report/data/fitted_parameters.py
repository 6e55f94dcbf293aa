"""Fitted parameters of the most probable structure; from the table of parameters."""

from math import isnan

import pandas as pd

from latentdag.report.markdown import table

TITLE = "Fitted parameters of {structure}"
ENOUGH = 100  # effective draws


def section(parameters: pd.DataFrame, best: str) -> list[str]:
    """The MAP estimate of the structure ``best`` with intervals: a row for each state of the
    parents.
    """
    own = parameters[(parameters["structure"] == best) & (parameters["estimate"] == "map")]
    rows = []
    for (variable, given), row in own.groupby(["variable", "given"], sort=False):
        rows.append([variable, given, "; ".join(map(_in_words, row.to_dict("records")))])
    worth = own["effective_draws"].min()
    return [
        f"## {TITLE.format(structure=best)}",
        "The probability of each value, given the states of its causes: at the MAP estimate, and "
        "in brackets the interval that holds 90 % of its posterior probability (5 % lie on either "
        "side). The states of a hidden variable have no order: the largest is first. "
        + _of_draws(worth),
        table(["variable", "given", "probabilities"], rows),
    ]


def _in_words(row: dict) -> str:
    """A value, its probability and its interval, if there is one."""
    interval = f" ({row['low']:.3f} to {row['high']:.3f})" if row["low"] == row["low"] else ""
    return f"{row['value']}: {row['probability']:.3f}{interval}"


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
