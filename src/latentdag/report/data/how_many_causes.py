"""How many causes, with how many states; from the table of causes,
`latentdag.study.marginals.causes` and `latentdag.study.marginals.number_of_causes`.
"""

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.study.frames import by_method
from latentdag.study.marginals import number_of_causes

TITLE = "How many causes"


def section(causes: pd.DataFrame, method: str) -> list[str]:
    """``method`` is the most trusted score."""
    numbers = number_of_causes(causes)[method]
    masses = by_method(causes, "probability", ["n_causes", "causes"])
    masses = masses.sort_values(method, ascending=False, kind="stable")
    rows = [
        [n_causes, states, *(number(p, ".3g") for p in of_methods)]
        for (n_causes, states), of_methods in zip(
            masses.index, masses.itertuples(index=False), strict=True
        )
    ]
    told = ", ".join(f"{k}: {number(p, '.3f')}" for k, p in numbers.items())
    return [
        f"## {TITLE}",
        "Posterior probability of the causes, hidden variables that have children, by how many "
        "states each has, summed over all structures. Of their number alone, by "
        f"{label(method)}: {told}.",
        table(["causes", "states", *map(label, masses)], rows),
    ]
