"""Probability of the truth: the table of populations."""

import pandas as pd

from latentdag.report.markdown import plus_minus
from latentdag.report.population.cells import each_kind, size_table

TITLE = "Probability of the truth"
LOG = (
    "Mean over the draws of ln p(truth given y), in nats, every structure being equally probable "
    "beforehand; 0 is best."
)
BRIER = (
    "Mean Brier score: the sum over structures (classes) of the squared difference between the "
    "probability and 1 for the truth, 0 for the others; 0 is best, 2 worst."
)


def section(population: pd.DataFrame) -> list[str]:
    """From the table of populations, of scores from which a posterior follows."""
    text = []
    for words, name in ((LOG, "log_probability"), (BRIER, "brier")):
        written = each_kind(population, lambda rows, name=name: size_table(rows, _cell(name)))
        text += [words, *written] if written else []
    return [f"## {TITLE}", *text] if text else []


def _cell(name: str):
    return lambda r: plus_minus(getattr(r, name), getattr(r, f"{name}_se"))
