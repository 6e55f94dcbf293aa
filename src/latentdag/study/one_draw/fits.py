"""How the fits went: which reached their limit of iterations, and how often the best optimum was
found.
"""

import numpy as np
import pandas as pd

from latentdag.scores import JOBS, SPECS
from latentdag.study.schema.frames import in_order, present

FIT = ["draw", "n", "structure", "job"]


def fits(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per fit, whichever scores were read off it: rows of the scores table with ``job``."""
    known = in_order(scores[scores[["converged", "restarts_at_best"]].notna().any(axis=1)])
    jobs = known["method"].map({m: spec.job.name for m, spec in SPECS.items()})
    return known.assign(job=jobs).drop_duplicates(FIT)


def not_converged(fits: pd.DataFrame) -> pd.DataFrame:
    """The fits that stopped at their limit of iterations."""
    return fits[fits["converged"].notna() & ~fits["converged"].fillna(True).astype(bool)]


def not_converged_by_size(fits: pd.DataFrame) -> pd.DataFrame:
    """By ``draw``, ``n`` and ``job`` the ``structures`` whose fits did not converge, as a list."""
    of = ["draw", "n", "job"]
    return not_converged(fits).groupby(of)["structure"].agg(list).reset_index(name="structures")


def convergence(fits: pd.DataFrame) -> pd.DataFrame:
    """By job: how many fits there are, ``fits``, and how many did not converge, ``failed``."""
    total = fits[fits["converged"].notna()].groupby("job").size()
    failed = not_converged(fits).groupby("job").size()
    found = pd.DataFrame({"fits": total, "failed": failed.reindex(total.index, fill_value=0)})
    return found.reindex([job for job in JOBS if job in found.index])


def at_best(fits: pd.DataFrame) -> pd.DataFrame:
    """By job, of the restarts that ended at a fit's best optimum.

    ``fits``; the ``fewest_restarts`` and ``most_restarts`` of a fit; of the number at best the
    ``fewest``, the 10 % quantile ``tenth`` and the ``median``; the median ``share``; and in how
    many fits it was ``once`` at most.
    """
    rows = {}
    tried = fits[fits["restarts_at_best"].notna()]
    for job in (job for job in JOBS if job in set(tried["job"])):
        selected = tried[tried["job"] == job]
        hits, restarts = (
            selected["restarts_at_best"].astype(float),
            selected["restarts"].astype(float),
        )
        rows[job] = {
            "fits": len(selected),
            "fewest_restarts": restarts.min(),
            "most_restarts": restarts.max(),
            "fewest": hits.min(),
            "tenth": hits.quantile(0.1),
            "median": hits.median(),
            "share": np.median(hits / restarts),
            "once": int((hits <= 1).sum()),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def without_score(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of structures that have no score."""
    return in_order(scores[scores["score"].isna()])


def lost_by_reason(scores: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """The rows of `without_score` by method and reason."""
    lost = without_score(scores)
    return {
        (method, reason): rows
        for method in present(lost["method"])
        for reason, rows in lost[lost["method"] == method].groupby("reason")
    }
