"""Best of all structures, by each score: `latentdag.study.own_data.fitted.best_by_score`."""

import pandas as pd

from latentdag.report.markdown import counted, label, plus_minus, table
from latentdag.study.own_data.fitted import best_by_score, log_priors
from latentdag.study.schema.frames import by_method

TITLE = "Best of {structures}, by each score"


def section(scores: pd.DataFrame, posterior: pd.DataFrame, equally_probable: str) -> list[str]:
    """From the scores, and the posterior, which has the prior too."""
    masses = by_method(posterior, "probability", "structure")
    log_prior = log_priors(posterior, equally_probable)
    rows = [
        [
            label(r.Index),
            r.best,
            plus_minus(r.score, r.standard_error),
            plus_minus(r.lead, r.lead_error),
            f"{masses.loc[r.best, r.Index]:.3g}" if r.Index in masses else "",
        ]
        for r in best_by_score(scores, log_prior).itertuples()
    ]
    header = [
        "method",
        "best structure",
        "its score (nats)",
        "above the second by",
        "its posterior probability",
    ]
    words = []
    if equally_probable != "structures":
        header[3] += ", with ln p(structure)"
        words = [
            "The prior p(structure) is not uniform over structures. The best and the second "
            "structure are those by the score plus ln p(structure)."
        ]
    structures = counted(len(set(scores["structure"])), "structure")
    return [f"## {TITLE.format(structures=structures)}", *words, table(header, rows)]
