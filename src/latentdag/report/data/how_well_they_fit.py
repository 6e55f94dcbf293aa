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
    "p": lambda r: (
        f"{r.p_value:.3f} ± {r.p_error:.3f}" if r.replicates and r.degrees_of_freedom > 0 else ""
    ),
    "AIC": lambda r: f"{r.AIC:.1f}",
    "BIC": lambda r: f"{r.BIC:.1f}",
}


def section(fit: pd.DataFrame, residuals: pd.DataFrame, n: int) -> list[str]:
    """Statistics of fit to ``n`` cases, and the largest bivariate residuals of each structure."""
    replicates = int(fit["replicates"].max())
    return [
        f"## {TITLE}",
        "The structures that some score ranks first, each at its maximum likelihood estimate. G2 "
        "and X2 measure the distance of the counts from those that the structure expects. 0 is a "
        "perfect fit. If the structure is true and cases are many, each is about as large as the "
        "degrees of freedom (df), which is the number of ways in which counts can differ from what "
        "the structure allows. " + _of_p(replicates) + "AIC and BIC penalise the effective "
        "dimension D; the lowest value of each is the best. (The score BIC of other tables "
        "penalises the number of parameters d, at the MAP estimate. It is in nats, and its highest "
        "value is the best.)" + _of_complete(fit["complete_cases"].max(), n),
        table_of(fit, COLUMNS),
        *_what_is_missed(residuals),
    ]


def rejected(fit: pd.DataFrame, best: str) -> list[str]:
    """A warning where the p-value of the structure ``best`` is the least that its replicates allow;
    nothing where it is not, or where there are none.
    """
    for r in fit[fit["structure"] == best].itertuples():
        if r.replicates and r.p_value * (1 + r.replicates) < 1.5:
            return [
                f"**The most probable structure, {best}, is rejected**: none of "
                f"{counted(int(r.replicates), 'table')} simulated from it fits as badly as the "
                f"cases do (p = {r.p_value:.3g}, the least that is possible). It is the best of "
                "those that were tried, and misses something that the data show."
            ]
    return []


def _of_p(replicates: int) -> str:
    if not replicates:
        return "No tables were simulated for a p-value (`fit.replicates`). "
    return (
        f"p = (1 + k) / {1 + replicates}: in k of {counted(replicates, 'table')} simulated from "
        "the fitted structure, G2 is at least as large. After ± is the Monte Carlo error. If p is "
        "small, say below 0.05, the structure misses something that the data show. Without degrees "
        "of freedom there is no p. "
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
        "The residual of a pair of variables is X2 of their two-way table divided by its degrees "
        "of freedom. If the structure is true, it is about 1 or less. If it is large, say above "
        "4, the structure misses much of the dependence between the two. `residuals.csv` has all "
        "pairs.",
        table(header, [row + [""] * (width + 1 - len(row)) for row in rows]),
    ]
