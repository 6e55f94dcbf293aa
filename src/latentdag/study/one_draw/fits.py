"""Which fits reached their limit of iterations, and which structures have no score."""

import pandas as pd

from latentdag.scores import JOBS, METHODS, SPECS
from latentdag.study.schema.frames import in_order


def fits(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of the table ``scores``, one for each fit (by draw, n, structure and job), whichever
    scores were read off it, with the name of its ``job`` as a further column.
    """
    rows = in_order(scores[scores[["converged", "restarts_at_best"]].notna().any(axis=1)])
    jobs = rows["method"].map({m: spec.job.name for m, spec in SPECS.items()})
    return rows.assign(job=jobs).drop_duplicates(["draw", "n", "structure", "job"])


def not_converged(fits: pd.DataFrame) -> dict[str, tuple[pd.DataFrame, int]]:
    """A dict by job of a pair: the rows of ``fits``, the DataFrame of `fits`, that did not
    converge, and the number of the job's fits with a value of `converged`; a job without any such
    row is left out.
    """
    known = fits.dropna(subset="converged")
    failed, number = known[~known["converged"].astype(bool)], known["job"].value_counts()
    return {j: (failed[failed["job"] == j], number[j]) for j in JOBS if j in set(failed["job"])}


def lost_by_reason(scores: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """A dict by (method, reason) of the rows of the table ``scores`` that have no score (nan)."""
    lost = in_order(scores[scores["score"].isna()])
    parts = dict(list(lost.groupby(["method", "reason"])))
    return {key: parts[key] for m in METHODS for key in parts if key[0] == m}
