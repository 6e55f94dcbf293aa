"""Common causes: `latentdag.study.own_data.share_a_cause` and `hidden_with_children`."""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.markdown import table
from latentdag.structures import Family
from latentdag.study.own_data import hidden_with_children, share_a_cause

TITLE = "Common causes"


def section(mass: pd.Series, family: Family, names: Sequence[str]) -> list[str]:
    """From the probabilities of structures by the most trusted score."""
    rows = [
        [r.first, r.second, f"{r.probability:.3f}"]
        for r in share_a_cause(mass, family, names).itertuples()
    ]
    numbers = ", ".join(f"{k}: {p:.3f}" for k, p in hidden_with_children(mass, family).items())
    return [
        f"## {TITLE}",
        "Posterior probability that two observed variables share a hidden cause, summed over all "
        "structures:",
        table(["", "", "probability"], rows),
        f"And of the number of hidden variables that have children: {numbers}.",
    ]
