"""What the data are: cases, variables and their values; from the table of variables."""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.markdown import counted, table

BEFOREHAND = {  # by what is equally probable
    "structures": "every structure is equally probable beforehand",
    "families": (
        "every set of causes, by how many states each has, is equally probable beforehand, and "
        "within it every structure"
    ),
    "classes": (
        "every class of structures that describe the same distributions is equally probable "
        "beforehand, and within it every structure"
    ),
}


def section(
    variables: pd.DataFrame, n: int, hidden: Sequence[str], equally_probable: str
) -> list[str]:
    """How many cases there are, and how many have each value of each variable; ``hidden`` are the
    hidden variables of each family, by their numbers of states.
    """
    values = {}
    for r in variables.itertuples():
        values.setdefault((f"y{r.variable}", r.name), []).append(f"{r.value} ({r.cases})")
    words = (
        f"{counted(n, 'case')} of {counted(len(values), 'observed variable')}; {_causes(hidden)}. "
        "There is no known true structure. Scores are natural logarithms, in nats; "
        f"{BEFOREHAND[equally_probable]}."
    )
    rows = [[*variable, "; ".join(of_variable)] for variable, of_variable in values.items()]
    return [words, table(["", "variable", "values (cases)"], rows)]


def _causes(hidden: Sequence[str]) -> str:
    if len(hidden) > 1:
        return f"hidden variables, by how many states each has: {'; '.join(hidden)}"
    one = (f"s{i} with {k} values" for i, k in enumerate(hidden[0].split(","), start=1))
    return f"hidden variables: {', '.join(one)}"
