"""How well the best structures fit, from the table `fit`, and which pairs of variables they miss:
`latentdag.study.own_data.fitted.largest_residuals`.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, number, table, table_of
from latentdag.study.own_data.fitted import largest_residuals

TITLE = "How well the best structures fit"
SHOWN = 3  # pairs of each structure
COLUMNS = {
    "structure": lambda r: r.structure,
    "best by": lambda r: ", ".join(map(label, r.best_by.split())),
    "ln likelihood": lambda r: f"{r.log_likelihood:.2f}",
    "G2": lambda r: number(r.G2, ".2f"),
    "X2": lambda r: number(r.X2, ".2f"),
    "df": lambda r: r.degrees_of_freedom,
    "p": lambda r: f"{r.p_value:.3f} ± {r.p_error:.3f}" if r.replicates else "",
    "AIC": lambda r: f"{r.AIC:.1f}",
    "BIC": lambda r: f"{r.BIC:.1f}",
}


def section(fit: pd.DataFrame, residuals: pd.DataFrame, n: int) -> list[str]:
    """Statistics of fit to ``n`` cases, and the largest bivariate residuals of each structure."""
    replicates = int(fit["replicates"].max())
    return [
        f"## {TITLE}",
        "The structures that some score puts first, each at the parameters that make the cases "
        "most probable (maximum likelihood; the ln likelihood is the logarithm of that "
        "probability). G2 and X2 say how far the counts are from those that the structure expects: "
        "0 is a perfect fit, and each is about as large as the degrees of freedom (df) where the "
        "structure holds and cases are many. The degrees of freedom are the ways in which counts "
        "can differ from what the structure allows. " + _of_p(replicates) + "AIC and BIC take the "
        "parameters off the likelihood; of these two the lowest value is the best. (The score BIC "
        "above is in nats, and there the highest is.)"
        + _of_complete(fit["complete_cases"].max(), n),
        table_of(fit, COLUMNS),
        *_what_is_missed(residuals),
    ]


def _of_p(replicates: int) -> str:
    if not replicates:
        return "No tables were simulated for a p-value (`fit.replicates`). "
    return (
        f"p is the share of {counted(replicates, 'table')} simulated from the fitted structure in "
        "which G2 is as large, with its Monte Carlo error: where it is small, say below 0.05, the "
        "structure misses something that the data show. "
    )


def _of_complete(complete: int, n: int) -> str:
    if complete == n:
        return ""
    cases = counted(complete, "case")
    return f" G2, X2 and p are of the {cases} without a missing value."


def _what_is_missed(residuals: pd.DataFrame) -> list[str]:
    """In a table of one variable there are no pairs."""
    rows = [
        [
            structure,
            *(f"{r.variable}, {r.other}: {number(r.residual, '.2f')}" for r in pairs.itertuples()),
        ]
        for structure, pairs in largest_residuals(residuals, SHOWN).items()
    ]
    if not rows:
        return []
    width = max(map(len, rows)) - 1
    header = ["structure", "largest residual", "second", "third"][: width + 1]
    return [
        "The residual of a pair of variables is X2 of their two-way table over its degrees of "
        "freedom: about 1 where the structure holds, and large, say above 4, where it misses much "
        "of what connects the two. `residuals.csv` has all pairs.",
        table(header, [row + [""] * (width + 1 - len(row)) for row in rows]),
    ]
