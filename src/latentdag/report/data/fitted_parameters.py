"""Fitted parameters of the most probable structure; from the table of parameters."""

import pandas as pd

from latentdag.report.markdown import table

TITLE = "Fitted parameters of {structure}"


def section(parameters: pd.DataFrame, best: str) -> list[str]:
    """The MAP estimate of the structure ``best``: a row for each state of the parents."""
    own = parameters[(parameters["structure"] == best) & (parameters["estimate"] == "map")]
    rows = []
    for (variable, given), row in own.groupby(["variable", "given"], sort=False):
        each = (f"{v}: {p:.3f}" for v, p in zip(row["value"], row["probability"], strict=True))
        rows.append([variable, given, "; ".join(each)])
    return [
        f"## {TITLE.format(structure=best)}",
        "At its MAP estimate; `parameters.csv` has all. The states of a hidden variable have no "
        "order: the largest is first.",
        table(["variable", "given", "probabilities"], rows),
    ]
