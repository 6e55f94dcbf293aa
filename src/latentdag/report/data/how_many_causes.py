"""How many causes, with how many states; from the table of causes,
`latentdag.study.own_data.marginals.causes`, `latentdag.study.own_data.marginals.number_of_causes`,
`latentdag.study.own_data.marginals.with_most_states` and
`latentdag.study.own_data.marginals.most_probable`.
"""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.data.posterior_over_structures import others
from latentdag.report.markdown import label, number, table
from latentdag.study.own_data.marginals import most_probable, number_of_causes, with_most_states
from latentdag.study.schema.frames import by_method

TITLE = "How many causes"
SHOWN = 10  # sets of causes


def section(causes: pd.DataFrame, method: str, hidden: Sequence[str]) -> list[str]:
    """``method`` is the most trusted score; ``hidden`` are the families that were tried."""
    numbers = number_of_causes(causes)[method]
    masses = by_method(causes, "probability", ["n_causes", "causes"])
    best = most_probable(masses, method, SHOWN)
    rows = [
        [n_causes, states, *(number(p, ".3g") for p in of_methods)]
        for (n_causes, states), of_methods in zip(
            best.index, best.itertuples(index=False), strict=True
        )
    ]
    told = ", ".join(f"{k}: {number(p, '.3f')}" for k, p in numbers.items())
    words = (
        "Posterior probability of the causes, hidden variables that have children, by how many "
        "states each has, summed over all structures. Of their number alone, by "
        f"{label(method)}: {told}. "
    )
    words += others(masses[method], best.index, "set of causes", "sets of causes")
    if len(hidden) > 1 and numbers.drop(0, errors="ignore").size:
        most, mass = with_most_states(causes, method)
        words += (
            f"No cause with more than {most} states was tried; a cause with {most} has a "
            f"probability of {mass:.2g}."
        )
    return [f"## {TITLE}", words.strip(), table(["causes", "states", *map(label, masses)], rows)]
