"""A column of the file that is no variable of the model, such as a known group, beside the states
of the causes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import pandas as pd

from latentdag.analysis.fit import Fit
from latentdag.analysis.fit_tables import names_of_states
from latentdag.data.counts import MISSING, Counts


def beside_rows(
    structure: str, found: Fit, joint: Counts, column: str, values: Sequence[str]
) -> Iterator[dict]:
    """How many cases with each value of ``column`` have which most probable states: rows of the
    table ``beside``.

    ``joint`` are the cases with the code of the column's value behind those of the observed
    variables, (N, J + 1); ``values`` are what its codes mean. A case without a value there, or
    without any in the model, does not count.
    """
    states = names_of_states(found)
    best = found.memberships.argmax(axis=1)
    of_pattern = dict(zip(map(tuple, found.patterns.tolist()), best.tolist(), strict=True))
    cases: Counter = Counter()
    for (*pattern, code), number in zip(joint.patterns.tolist(), joint.numbers, strict=True):
        if tuple(pattern) in of_pattern and code != MISSING:
            cases[code, of_pattern[tuple(pattern)]] += int(number)
    for code, value in enumerate(values):
        for k, state in enumerate(states):
            about = {"structure": structure, "variable": column, "value": value, "states": state}
            yield about | {"cases": cases[code, k]}


def crossed(beside: pd.DataFrame) -> pd.DataFrame:
    """The cases by states (rows) and values (columns), in the table's order; states that no case
    has are left out.
    """
    states, values = (list(dict.fromkeys(beside[name])) for name in ("states", "value"))
    cases = beside.pivot(index="states", columns="value", values="cases").loc[states, values]
    return cases[cases.sum(axis=1) > 0]
