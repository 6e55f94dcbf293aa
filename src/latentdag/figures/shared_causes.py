"""How probable it is that two observed variables share a cause, for every pair of them."""

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing.shared_causes import matrix
from latentdag.study.schema.candidates import variable_names


def shared_causes(links: pd.DataFrame, variables: pd.DataFrame, method: str) -> Figure:
    """A figure of the probability by ``method`` that two observed variables share a cause, as a
    square with a cell for each pair (`matrix`), from the tables ``links`` and ``variables``. Raises
    ValueError if the table of links has rows, but none of the method.
    """
    names = variable_names(variables)
    pairs = links[links["method"] == method]
    if pairs.empty and not links.empty:
        raise ValueError(f"the links table has no {method}")
    columns = pairs["first_name"], pairs["second_name"], pairs["probability"]
    return matrix(zip(*columns, strict=True), names, method)
