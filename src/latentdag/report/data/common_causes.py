"""Common causes; from the table of links, `latentdag.study.own_data.marginals.links`."""

from collections.abc import Sequence
from math import nan

import pandas as pd

from latentdag.report.markdown import label, number, table

TITLE = "Common causes"
MOST = 6  # variables whose pairs are listed; those of more stand in a square


def section(links: pd.DataFrame, method: str, names: Sequence[str]) -> list[str]:
    """By the most trusted score, ``method``; ``names`` are those of the observed variables."""
    pairs = links[links["method"] == method]
    known = {(r.first_name, r.second_name): r.probability for r in pairs.itertuples()}
    if len(names) <= MOST:
        rows = [[*pair, number(p, ".3f")] for pair, p in known.items()]
        shown = table(["", "", "probability"], rows)
    else:
        rows = [
            [f"y{j}", name, *(number(known.get((name, other), nan), ".2f") for other in names[1:])]
            for j, name in enumerate(names[:-1], start=1)
        ]
        shown = table(["", "", *(f"y{j}" for j in range(2, len(names) + 1))], rows)
    return [
        f"## {TITLE}",
        "Posterior probability that two observed variables share a hidden cause, summed over the "
        f"structures of `structures.csv`, by {label(method)}; `links.csv` has every score's.",
        shown,
    ]
