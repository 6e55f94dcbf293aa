"""What the data are: cases, variables and their values; from the table of variables."""

from collections.abc import Sequence

import pandas as pd

from latentdag.report.markdown import counted, table

PRIORS = {  # by what the prior is uniform over
    "structures": "the prior is uniform over structures",
    "families": (
        "the prior is uniform over sets of causes, by their numbers of states, and within each set "
        "over structures"
    ),
    "classes": (
        "the prior is uniform over classes of structures that describe the same distributions, and "
        "within each class over structures"
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
        "No true structure is known. Scores are natural logarithms, in nats; "
        f"{PRIORS[equally_probable]}."
    )
    rows = [[*variable, "; ".join(of_variable)] for variable, of_variable in values.items()]
    return [words, table(["", "variable", "values (cases)"], rows)]


def _causes(hidden: Sequence[str]) -> str:
    if len(hidden) > 1:
        return (
            f"hidden variables, by their numbers of states: {'; '.join(hidden)}. The label of a "
            "structure lists the causes of y1, y2 and so on; its bracket has the number of states "
            "of each cause"
        )
    one = (f"s{i} with {k} values" for i, k in enumerate(hidden[0].split(","), start=1))
    return f"hidden variables: {', '.join(one)}"
