"""Beside another column: which states of the causes go with which of its values, by
`latentdag.study.own_data.fitted`.
"""

import pandas as pd

from latentdag.report.markdown import table
from latentdag.study.own_data.fitted import cross_table

TITLE = "Beside {column}"


def section(beside: pd.DataFrame | None) -> list[str]:
    """Cases by their most probable states and by the column's values; nothing where no column is
    to be compared with.
    """
    if beside is None:
        return []
    structure, column = beside["structure"].iloc[0], beside["variable"].iloc[0]
    cases = cross_table(beside)
    rows = [[states, *numbers] for states, numbers in cases.iterrows()]
    return [
        f"## {TITLE.format(column=column)}",
        f"The column {column} is no variable of the model, and no score knows of it. These are the "
        f"cases by its values and by their most probable states of the causes, at the MAP estimate "
        f"of {structure}.",
        table(["most probable states", *cases.columns], rows),
    ]
