"""Posterior over structures: `latentdag.study.posterior` and
`latentdag.study.own_data.most_probable`.
"""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.structures import Family, Structure
from latentdag.study.own_data import most_probable
from latentdag.study.posterior import effective_number

TITLE = "Posterior over structures"
SHOWN = 10  # structures


def section(masses: pd.DataFrame, method: str, family: Family, names: Sequence[str]) -> list[str]:
    """From the probabilities of structures by method; ``method`` is the most trusted one."""
    best = most_probable(masses, method, SHOWN)
    rows = []
    for structure, of_methods in best.iterrows():
        own = Structure.from_label(structure, family)
        rows.append(
            [structure, causes(own, names), own.n_parameters]
            + [number(p, ".3g") for p in of_methods]
        )
    these = "this structure holds" if len(best) == 1 else f"these {len(best)} structures hold"
    words = (
        f"By {label(method)}, the most trusted of the scores here, {these} "
        f"{best[method].sum():.0%} of the posterior probability, which is spread as over "
        f"{effective_number(masses[method]):.1f} equally probable ones."
    )
    header = ["structure", "causes", "d", *map(label, masses)]
    return [f"## {TITLE}", words, table(header, rows)]


def causes(structure: Structure, names: Sequence[str]) -> str:
    """Which observed variables each hidden one causes."""
    links = list(zip(names, structure.parents, strict=True))
    causes = [
        f"s{h + 1}: {', '.join(name for name, parents in links if h in parents)}"
        for h in sorted(set().union(*structure.parents))
    ]
    alone = [name for name, parents in links if not parents]
    return "; ".join(causes + ([f"without a cause: {', '.join(alone)}"] if alone else []))
