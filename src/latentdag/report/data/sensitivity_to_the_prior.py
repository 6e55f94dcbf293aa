"""Sensitivity to the prior: from the table of marginals by alpha,
`latentdag.study.own_data.marginals.by_statement` and
`latentdag.study.own_data.marginals.least_changed_pairs`.
"""

import pandas as pd

from latentdag.report.markdown import joined, label, number, table
from latentdag.study.own_data.marginals import EMPIRICAL, by_statement, least_changed_pairs

TITLE = "Sensitivity to the prior"
MOST = 15  # pairs of variables that are listed


def section(alphas: pd.DataFrame | None, alpha: float) -> list[str]:
    """``alpha`` is that of all other tables; ``alphas`` is None where there is no other."""
    if alphas is None:
        return []
    probabilities = by_statement(alphas)
    pairs, left_out = least_changed_pairs(probabilities, MOST)
    estimate = ""
    for method, value in probabilities:
        if method == EMPIRICAL:
            of_hidden = alphas.loc[alphas["method"] == EMPIRICAL, "alpha_hidden"].iloc[0]
            estimate = (
                f" For its most probable structure, {label(EMPIRICAL)} estimates alpha as "
                f"{value:.3g}, and as {of_hidden:.3g} for hidden variables."
            )
    if left_out:
        estimate += f" The table has the {MOST} of {pairs} pairs of variables that change most."
    first = next(iter(probabilities.values()))
    rows = [
        [*_statement(*key), *(number(p[key], ".3f") for p in probabilities.values())]
        for key in first.index
        if key not in left_out
    ]
    fixed = alphas[alphas["method"] != EMPIRICAL]
    hidden = fixed["alpha_hidden"].iloc[0]
    header = [
        label(method) + ("" if method == EMPIRICAL else f", {value:g}")
        for method, value in probabilities
    ]
    return [
        f"## {TITLE}",
        "Alpha is the parameter of the Dirichlet prior of each row of the observed variables' "
        "tables. Under a larger alpha the probabilities of a row are more nearly equal. All other "
        f"tables use alpha = {alpha:g}. This table has posterior probabilities under alpha = "
        f"{joined(sorted(set(fixed['alpha'])))}. The alpha of hidden variables is {hidden:g} in "
        f"all cases.{estimate}",
        table(["", "", *header], rows),
    ]


def _statement(causes: str, first_name: str, second_name: str) -> tuple[str, str]:
    """What a row has the probabilities of: causes with their states, or two variables that share
    one.
    """
    if causes:
        return "states of the causes", causes
    return "share a cause", f"{first_name}, {second_name}"
