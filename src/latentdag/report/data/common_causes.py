"""Common causes: `latentdag.study.own_data.share_a_cause` and `hidden_with_children`."""

from collections.abc import Mapping, Sequence

import pandas as pd

from latentdag.report.markdown import table
from latentdag.structures import Structure
from latentdag.study.own_data import hidden_with_children, share_a_cause

TITLE = "Common causes"


def section(mass: pd.Series, known: Mapping[str, Structure], names: Sequence[str]) -> list[str]:
    """From the probabilities by the most trusted score of the structures ``known`` by name."""
    rows = [
        [r.first, r.second, f"{r.probability:.3f}"]
        for r in share_a_cause(mass, known, names).itertuples()
    ]
    numbers = ", ".join(f"{k}: {p:.3f}" for k, p in hidden_with_children(mass, known).items())
    return [
        f"## {TITLE}",
        "Posterior probability that two observed variables share a hidden cause, summed over all "
        "structures:",
        table(["", "", "probability"], rows),
        f"And of the number of hidden variables that have children: {numbers}.",
    ]
