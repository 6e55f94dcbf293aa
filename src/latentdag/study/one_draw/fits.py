"""How the fits went: which reached their limit of iterations, how often the best was found."""

import pandas as pd

from latentdag.scores import JOBS, METHODS, SPECS
from latentdag.study.schema.frames import in_order


def fits(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per fit, whichever scores were read off it: rows of the scores table with ``job``."""
    known = in_order(scores[scores[["converged", "restarts_at_best"]].notna().any(axis=1)])
    jobs = known["method"].map({m: spec.job.name for m, spec in SPECS.items()})
    return known.assign(job=jobs).drop_duplicates(["draw", "n", "structure", "job"])


def not_converged_by_size(fits: pd.DataFrame) -> pd.DataFrame:
    """By ``draw``, ``n`` and ``job`` the ``structures`` whose fits did not converge, as a list."""
    failed = fits[~fits["converged"].fillna(True).astype(bool)]
    of_size = failed.groupby(["draw", "n", "job"])["structure"]
    return of_size.agg(list).reset_index(name="structures")


def convergence(fits: pd.DataFrame) -> pd.DataFrame:
    """By job: how many fits there are, ``fits``, and how many did not converge, ``failed``."""
    failed = ~fits["converged"].dropna().astype(bool)
    found = failed.groupby(fits["job"]).agg(fits="size", failed="sum")
    return found.reindex([job for job in JOBS if job in found.index])


def at_best(fits: pd.DataFrame) -> pd.DataFrame:
    """By job, of the restarts at a fit's best optimum: the number of ``fits``, the
    ``fewest_restarts`` and ``most_restarts`` of one; of those at best the ``fewest``, 10 % quantile
    ``tenth`` and ``median``; the median ``share``; and in how many fits it was ``once`` at most.
    """
    hits, restarts = fits["restarts_at_best"].astype(float), fits["restarts"].astype(float)
    tried = fits.assign(restarts=restarts, hits=hits, share=hits / restarts, once=hits <= 1)
    of_job = tried[hits.notna()].groupby("job")
    found = of_job.agg(
        fits=("hits", "size"),
        fewest_restarts=("restarts", "min"),
        most_restarts=("restarts", "max"),
        fewest=("hits", "min"),
        median=("hits", "median"),
        share=("share", "median"),
        once=("once", "sum"),
    ).assign(tenth=of_job["hits"].quantile(0.1))
    return found.reindex([job for job in JOBS if job in found.index])


def lost_by_reason(scores: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """The rows of structures without a score, by method and reason."""
    lost = in_order(scores[scores["score"].isna()])
    parts = dict(list(lost.groupby(["method", "reason"])))
    return {key: parts[key] for m in METHODS for key in parts if key[0] == m}
