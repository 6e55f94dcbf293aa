"""Errors over draws: the table of populations."""

import pandas as pd

from latentdag.report.markdown import plus_minus
from latentdag.report.population.cells import size_table

TITLE = "Errors over draws"
MEAN = "Mean error: score minus reference, in nats, over the structures and then over the draws."
SIZE = "Mean absolute error, in nats."


def section(population: pd.DataFrame) -> list[str]:
    """From the table of populations: its rows by structure, as a class has no score."""
    rows = population[population["by"] == "structure"]
    signed = size_table(rows, lambda r: plus_minus(r.mean_error, r.mean_error_se, "+"))
    size = size_table(rows, lambda r: plus_minus(r.mean_absolute_error, r.mean_absolute_error_se))
    return [f"## {TITLE}", MEAN, signed, SIZE, size] if signed and size else []
