"""Common causes; from the table of links, `latentdag.study.own_data.marginals.links`."""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.markdown import label, number, table

TITLE = "Common causes"
MOST = 6  # variables whose pairs are listed; those of more stand in a square


def section(links: pd.DataFrame, method: str, names: Sequence[str]) -> list[str]:
    """By the most trusted score, ``method``; ``names`` are those of the observed variables."""
    own = links[links["method"] == method]
    known = {(r.first_name, r.second_name): r.probability for r in own.itertuples()}
    if len(names) <= MOST:
        rows = [[*pair, number(p, ".3f")] for pair, p in known.items()]
        shown = table(["", "", "probability"], rows)
    else:
        rows = [
            [f"y{j}", name, *(number(known[pair], ".2f") if pair in known else "" for pair in own)]
            for j, name in enumerate(names[:-1], start=1)
            for own in [[(name, other) for other in names[1:]]]
        ]
        shown = table(["", "", *(f"y{j}" for j in range(2, len(names) + 1))], rows)
    return [
        f"## {TITLE}",
        "Posterior probability that two observed variables share a hidden cause, summed over all "
        f"structures, by {label(method)}; `links.csv` has every score's.",
        shown,
    ]
