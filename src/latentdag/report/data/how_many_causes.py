"""How many causes, with how many states; from the table of causes,
`latentdag.study.own_data.marginals.causes`, `latentdag.study.own_data.marginals.number_of_causes`
and `latentdag.study.own_data.marginals.most_probable`.
"""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.data.posterior_over_structures import others
from latentdag.report.markdown import counted, label, number, table
from latentdag.study.own_data.marginals import most_probable, number_of_causes
from latentdag.study.schema.frames import by_method

TITLE = "How many causes"
SHOWN = 10  # sets of causes


def section(causes: pd.DataFrame, method: str, hidden: Sequence[str]) -> list[str]:
    """``method`` is the most trusted score; ``hidden`` are the families that were tried."""
    numbers = number_of_causes(causes)[method]
    masses = by_method(causes, "of_classes", ["n_causes", "causes"])
    best = most_probable(masses, method, SHOWN)
    rows = [
        [n_causes, states, *(number(p, ".3g") for p in of_methods)]
        for (n_causes, states), of_methods in zip(
            best.index, best.itertuples(index=False), strict=True
        )
    ]
    of_numbers = ", ".join(f"{counted(k, 'cause')} {number(p, '.3f')}" for k, p in numbers.items())
    words = (
        "Posterior probability of each set of causes, with the number of states of each cause. A "
        "hidden variable with one child is not counted, because its child's table can absorb it "
        "(`causes.csv` also counts these). Probability of the number of causes, by "
        f"{label(method)}: {of_numbers}. "
    )
    words += others(masses[method], best.index, "set of causes", "sets of causes")
    words += f"Only these causes, or fewer of them, were tried: {'; '.join(hidden)}."
    return [f"## {TITLE}", words.strip(), table(["causes", "states", *map(label, masses)], rows)]
