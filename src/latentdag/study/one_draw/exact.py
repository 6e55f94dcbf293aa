"""The other scores against the exact evidence, where there is one."""

import pandas as pd

from latentdag.scores import SPECS
from latentdag.study.one_draw.errors import LOWER_BOUNDS, SLACK
from latentdag.study.schema.frames import by_method, correlation, present

BESIDE = tuple(m for m, spec in SPECS.items() if spec.judged and m != "exact")
FAR = 2.0  # standard errors
CHANCE = 0.0455  # probability that a normal deviate is farther


def beside_exact(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of each structure that has an exact one: (draw, n, structure) by method."""
    wide = by_method(scores, "score", ["draw", "n", "structure"])
    return wide[wide["exact"].notna()] if "exact" in wide else wide.iloc[:0]


def gaps(beside: pd.DataFrame) -> pd.DataFrame:
    """Score minus exact evidence, in nats, over the structures of `beside_exact`, by method:
    ``structures``, ``mean``, ``deviation``, ``lowest``, ``highest``, and the rank ``correlation``.
    """
    rows = {}
    for m in present(set(beside) & set(BESIDE)):
        gap = (beside[m] - beside["exact"]).dropna()
        if len(gap):
            rows[m] = {
                "structures": len(gap),
                "mean": gap.mean(),
                "deviation": gap.std(),
                "lowest": gap.min(),
                "highest": gap.max(),
                "correlation": correlation(beside[m], beside["exact"]),
            }
    return pd.DataFrame.from_dict(rows, orient="index")


def in_standard_errors(scores: pd.DataFrame, method: str) -> pd.Series:
    """(score - exact evidence) / standard error of one method by draw, n, structure, where both are
    known and the error is above 0.
    """
    beside = beside_exact(scores)
    index = ["draw", "n", "structure"]
    own = scores[scores["method"] == method].set_index(index)["standard_error"]
    errors = own.reindex(beside.index).astype(float)
    return ((beside[method] - beside["exact"]) / errors.where(errors > 0)).dropna()


def bounds_kept(beside: pd.DataFrame) -> list[tuple[str, str, int, int]]:
    """For CS below VB, and each lower bound below the exact evidence: low, high, in how many
    structures it is, of how many.
    """
    found = []
    for low, high in (("cs", "vb"), *((m, "exact") for m in LOWER_BOUNDS)):
        if {low, high} <= set(beside):
            gap = (beside[high] - beside[low]).dropna()
            found.append((low, high, int((gap >= -SLACK).sum()), len(gap)))
    return found
