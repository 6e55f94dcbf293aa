"""Probability of the truth: the table of populations."""

import pandas as pd

from latentdag.report.markdown import plus_minus
from latentdag.report.population.cells import each_kind, size_table

TITLE = "Probability of the truth"
LOG = (
    "Mean over the draws of ln p(truth given y), in nats, under a uniform prior over structures; 0 "
    "is best."
)
BRIER = (
    "Mean Brier score: the squared difference between each structure's (class's) probability and "
    "its target, summed over all. The target is 1 for the truth and 0 for the others. 0 is the "
    "best score, 2 the worst."
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
