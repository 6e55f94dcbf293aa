"""What the data are: cases, variables and their values; from the table of variables."""

import pandas as pd

from latentdag.report.markdown import counted, table
from latentdag.structures import Family


def section(variables: pd.DataFrame, n: int, family: Family) -> list[str]:
    """How many cases there are, and how many have each value of each variable."""
    rows = [
        [
            f"y{variable}",
            name,
            "; ".join(f"{v} ({c})" for v, c in zip(own["value"], own["cases"], strict=True)),
        ]
        for (variable, name), own in variables.groupby(["variable", "name"], sort=False)
    ]
    hidden = ", ".join(f"s{i + 1} with {k} values" for i, k in enumerate(family.hidden))
    words = (
        f"{counted(n, 'case')} of {counted(len(rows), 'observed variable')}; hidden variables: "
        f"{hidden}. There is no known true structure. Scores are natural logarithms, in nats; "
        "every structure is equally probable beforehand."
    )
    return [words, table(["", "variable", "values (cases)"], rows)]
