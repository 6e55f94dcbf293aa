"""Comparison with published results: latent class models of the literature, by
`latentdag.study.own_data.published.by_model`.
"""

import pandas as pd

from latentdag.report.markdown import table
from latentdag.study.own_data.published import by_model, decimals

TITLE = "Comparison with published results"
LEAST_DECIMALS = 3


def section(published: pd.DataFrame | None) -> list[str]:
    """A table for each model: its published numbers, and those of its fit here; nothing where none
    is to be compared.
    """
    if published is None:
        return []
    paragraphs = [
        f"## {TITLE}",
        "Latent class models, in which one hidden variable is the only parent of all others, at "
        "their maximum likelihood. The degrees of freedom are the number of cells minus 1 minus "
        "the effective dimension. Some programs use the number of cases, if it is smaller, in "
        "place of the number of cells minus 1.",
    ]
    for (source, classes), of_model in by_model(published).items():
        rows = [
            [r.quantity, *_numbers(r.published, r.found), "yes" if r.agrees else "no"]
            for r in of_model.itertuples()
        ]
        header = [f"{classes} classes", "published", "this run", "equal to the published digits"]
        paragraphs += [f"{source}:", table(header, rows)]
    return paragraphs


def _numbers(published: float, found: float) -> tuple[str, str]:
    """Both with as many digits after the point: whole numbers without."""
    if float(published).is_integer() and float(found).is_integer():
        return f"{published:.0f}", f"{found:.0f}"
    digits = max(decimals(published), LEAST_DECIMALS)
    return f"{published:.{digits}f}", f"{found:.{digits}f}"
