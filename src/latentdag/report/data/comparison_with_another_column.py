"""Comparison with another column: which states of the causes go with which of its values, by
`latentdag.study.own_data.fitted.cross_table` and `latentdag.study.own_data.fitted.association`.
"""

import pandas as pd

from latentdag.report.markdown import table
from latentdag.study.own_data.fitted import Association, association, cross_table, shares

TITLE = "Comparison with {column}"


def section(beside: pd.DataFrame | None) -> list[str]:
    """Cases by their most probable states and by the column's values, with the shares of the values
    among the cases of each state, and a test; nothing where no column is to be compared with.
    """
    if beside is None:
        return []
    structure, column = beside["structure"].iloc[0], beside["variable"].iloc[0]
    cases = cross_table(beside)
    of_states = shares(cases)
    rows = [
        [states, *(f"{n} ({of_states.loc[states, value]:.0%})" for value, n in numbers.items())]
        for states, numbers in cases.iterrows()
    ]
    return [
        f"## {TITLE.format(column=column)}",
        f"The column {column} is not a variable of the model, and no score uses it. The table has "
        "the number of cases by its values and by the most probable states of their causes, at the "
        f"MAP estimate of {structure}. In brackets is the share of each value among the cases with "
        f"these states. {_of_test(association(cases))}",
        table(["most probable states", *cases.columns], rows),
    ]


def _of_test(found: Association) -> str:
    if found.v != found.v:
        return "There is nothing to test: all cases have the same states, or the same value."
    return (
        f"Were states and values independent, X2 would be about {found.degrees_of_freedom}: it is "
        f"{found.x2:.1f} (p = {found.p_value:.2g}, by the chi-square distribution, which holds for "
        f"many cases). Cramer's V is {found.v:.2f}: 0 where they are independent, 1 where one "
        "tells the other."
    )
