"""How probable it is that two observed variables share a cause, for every pair of them."""

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing.shared_causes import matrix, sentence
from latentdag.study.schema.candidates import variable_names

CERTAIN = 0.99  # probability from which all cells would look alike


def shared_causes(links: pd.DataFrame, variables: pd.DataFrame, method: str) -> Figure:
    """`matrix`, or where every probability is 0.99 or more, a sentence that says so. Raises
    ValueError if the table of links lacks the method.
    """
    names = variable_names(variables)
    pairs = links[links["method"] == method]
    if pairs.empty and not links.empty:
        raise ValueError(f"the links table has no {method}")
    if pairs["probability"].min() >= CERTAIN:
        return sentence(len(names), method, pairs["probability"].min())
    columns = pairs["first_name"], pairs["second_name"], pairs["probability"]
    return matrix(zip(*columns, strict=True), names, method)
