"""Regret: the table of populations."""

import pandas as pd

from latentdag.report.markdown import plus_minus
from latentdag.report.population.cells import each_kind, size_table

TITLE = "Regret"
NOTE = (
    "The regret is the ln evidence of the best structure minus that of the structure that a score "
    "picks, both by the reference, in nats; the tables have means over the draws. The evidence of "
    "a class is the mean over its members. A score picks the class with the most mass. This may "
    "not be the class with the most evidence, so that by class the reference has a regret too."
)


def section(population: pd.DataFrame) -> list[str]:
    """From the table of populations."""
    text = each_kind(
        population, lambda rows: size_table(rows, lambda r: plus_minus(r.regret, r.regret_se))
    )
    return [f"## {TITLE}", NOTE, *text] if text else []
