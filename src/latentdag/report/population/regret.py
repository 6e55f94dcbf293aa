"""Regret: the table of populations."""

import pandas as pd

from latentdag.report.markdown import plus_minus
from latentdag.report.population.cells import each_kind, size_table

TITLE = "Regret"
NOTE = (
    "What a wrong choice costs in evidence: by the reference, ln evidence of the best structure "
    "minus that of the one picked, in nats, mean over the draws. A class's evidence is the mean "
    "over its members; as the class with the most mass is picked, which may not be the one with "
    "the most evidence, the reference has a regret, too."
)


def section(population: pd.DataFrame) -> list[str]:
    """From the table of populations."""
    text = each_kind(
        population, lambda rows: size_table(rows, lambda r: plus_minus(r.regret, r.regret_se))
    )
    return [f"## {TITLE}", NOTE, *text] if text else []
