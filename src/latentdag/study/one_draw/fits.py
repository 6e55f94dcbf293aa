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


def not_converged(fits: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of ``fits``, the frame that `fits` gives, that did not converge, by job; a job
    without any is left out.
    """
    failed = fits[~fits["converged"].fillna(True).astype(bool)]
    return {job: failed[failed["job"] == job] for job in JOBS if job in set(failed["job"])}


def convergence(fits: pd.DataFrame) -> pd.DataFrame:
    """By job (index): the number of ``fits`` of which it is known whether they converged, and how
    many of these did not, ``failed``.
    """
    failed = ~fits["converged"].dropna().astype(bool)
    counts = failed.groupby(fits["job"]).agg(fits="size", failed="sum")
    return counts.reindex([job for job in JOBS if job in counts.index])


def lost_by_reason(scores: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """The rows of structures without a score, by method and reason."""
    lost = in_order(scores[scores["score"].isna()])
    parts = dict(list(lost.groupby(["method", "reason"])))
    return {key: parts[key] for m in METHODS for key in parts if key[0] == m}
