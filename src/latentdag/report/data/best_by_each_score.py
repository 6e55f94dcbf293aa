"""Best of all structures, by each score: `latentdag.study.figure.best_structures`."""

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, table
from latentdag.scores import SPECS
from latentdag.study.figure import best_structures

TITLE = "Best of {structures}, by each score"


def section(scores: pd.DataFrame, masses: pd.DataFrame) -> list[str]:
    """From the scores, and the probabilities of structures by method.

    Likelihoods at an estimate are left out: without a penalty for parameters they rank the largest
    structure first.
    """
    judged = scores[scores["method"].map(lambda m: SPECS[m].judged).astype(bool)]
    rows = [
        [
            label(r.Index),
            r.best,
            plus_minus(r.score, r.standard_error),
            plus_minus(r.lead, r.lead_error),
            f"{masses.loc[r.best, r.Index]:.3g}" if r.Index in masses else "",
        ]
        for r in best_structures(judged).itertuples()
    ]
    header = [
        "method",
        "best structure",
        "its score (nats)",
        "before the second by",
        "its posterior probability",
    ]
    structures = counted(scores["structure"].nunique(), "structure")
    return [f"## {TITLE.format(structures=structures)}", table(header, rows)]
