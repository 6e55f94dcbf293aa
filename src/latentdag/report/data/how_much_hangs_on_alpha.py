"""How much hangs on alpha; from the table of marginals by alpha,
`latentdag.study.own_data.marginals.under_alphas`.
"""

import pandas as pd

from latentdag.report.markdown import joined, label, number, table
from latentdag.study.own_data.marginals import EMPIRICAL

TITLE = "How much hangs on alpha"
SHARED = "share a cause"
MOST = 15  # pairs of variables that are told


def section(alphas: pd.DataFrame | None, alpha: float) -> list[str]:
    """``alpha`` is that of all other tables; ``alphas`` is None where there is no other."""
    if alphas is None:
        return []
    fixed = alphas["method"] != EMPIRICAL
    of_list = ((key, own) for key, own in alphas[fixed].groupby(["method", "alpha"]))
    columns = {f"{label(method)}, {value:g}": own for (method, value), own in of_list}
    told = ""
    if not fixed.all():
        estimated = alphas[~fixed]
        found = estimated.iloc[0]
        columns[label(EMPIRICAL)] = estimated
        told = (
            f" {label(EMPIRICAL)} estimates it: for its most probable structure as "
            f"{found['alpha']:.3g}, and that of hidden variables as {found['alpha_hidden']:.3g}."
        )
    probabilities = pd.DataFrame(
        {head: dict(zip(_statements(own), own["probability"], strict=True))
         for head, own in columns.items()}
    )  # fmt: skip
    probabilities, of_pairs = _most_changed(probabilities)
    rows = (
        [*statement, *(number(p, ".3f") for p in of_columns)]
        for statement, of_columns in zip(
            probabilities.index, probabilities.itertuples(index=False), strict=True
        )
    )
    hidden = alphas.loc[fixed, "alpha_hidden"].iloc[0]
    return [
        f"## {TITLE}",
        "Alpha is the parameter of the Dirichlet prior of each row of the observed variables' "
        "tables: the larger it is, the more nearly equal it takes the probabilities of a row to "
        f"be. All other tables are under alpha = {alpha:g}; below are posterior probabilities "
        f"under {joined(sorted(set(alphas.loc[fixed, 'alpha'])))}. That of hidden variables is "
        f"{hidden:g} in all.{told}{of_pairs}",
        table(["", "", *columns], rows),
    ]


def _statements(alphas: pd.DataFrame) -> list[tuple[str, str]]:
    """What each row of the table is the probability of: causes with their states, or two variables
    that share one.
    """
    return [
        ("states of the causes", r.causes)
        if r.causes
        else (SHARED, f"{r.first_name}, {r.second_name}")
        for r in alphas.itertuples()
    ]


def _most_changed(probabilities: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The probabilities (statements, columns) without the pairs of variables that change least,
    where there are many, and what is to be said of that.
    """
    is_pair = [kind == SHARED for kind, _ in probabilities.index]
    change = (probabilities.max(axis=1) - probabilities.min(axis=1))[is_pair]
    if len(change) <= MOST:
        return probabilities, ""
    least = change.sort_values(ascending=False, kind="stable").index[MOST:]
    words = f" Of the {len(change)} pairs of variables the {MOST} that change most are told."
    return probabilities.drop(least), words
