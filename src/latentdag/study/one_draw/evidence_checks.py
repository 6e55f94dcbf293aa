"""Checks of the evidence: against the exact one, its target of precision, and bounds."""

import numpy as np
import pandas as pd
import scipy

from latentdag.engine.significance import FAR
from latentdag.scores import SPECS, present
from latentdag.scores.reference import target_at
from latentdag.study.one_draw.errors import LOWER_BOUNDS, SLACK
from latentdag.study.schema import frames
from latentdag.study.schema.frames import PAIR, method_columns

TABLE_ROUNDING = 2e-6  # nats: of the difference of two scores, tabulated to 1e-6
COMPARED = tuple(m for m, spec in SPECS.items() if spec.judged and m != "exact")


def bounds_above_reference(errors: pd.DataFrame) -> pd.DataFrame:
    """By lower bound (index), from the table ``errors``: in how many of its ``pairs`` of structure
    and data set, of those with a standard error, it is ``above`` the reference by over `FAR`
    errors.
    """
    errors = errors.dropna(subset="standard_error")
    over = errors["error_nats"] > FAR * errors["standard_error"] + SLACK
    counts = over.groupby(errors["method"]).agg(above="sum", pairs="size")
    return counts.loc[present(m for m in counts.index if m in LOWER_BOUNDS)]


def exact_pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table ``scores``, of all methods, whose structure and data set have an exact
    evidence, with that evidence in nats as a further column ``exact``.
    """
    exact = scores.loc[scores["method"] == "exact", [*PAIR, "score"]].dropna()
    return scores.merge(exact.rename(columns={"score": "exact"}), on=PAIR)


def z_scores(scores: pd.DataFrame) -> pd.Series:
    """(reference - exact) / standard error by draw, n, structure. Where the reference is exact
    itself (an error of no more than writing it down), z is left out if it agrees and infinite if
    not. Nor is there a z without a standard error.
    """
    both = exact_pairs(scores[scores["method"].isin(["exact", "reference"])]).set_index(PAIR)
    both = both[both["method"] == "reference"]
    gap, error = both["score"] - both["exact"], both["standard_error"]
    z = gap / error.where(error > 5 * TABLE_ROUNDING)
    wrong = (error <= 5 * TABLE_ROUNDING) & (gap.abs() > 5 * error + TABLE_ROUNDING)
    z[wrong] = np.sign(gap[wrong]) * np.inf
    return z.dropna()


def exact_ratios(scores: pd.DataFrame) -> dict:
    """The `z_scores` in short: the pairs (structure, n) that are ``wrong``, with infinite z;
    ``number`` and ``sizes`` of the others, and if there are any, their ``mean``, ``deviation`` and
    ``largest`` by absolute value, with its ``structure``, difference ``nats`` and ``error``; the
    mean error of all, ``usual_error``; and `largest_by_chance`.
    """
    z = z_scores(scores)
    wrong, z = z[np.isinf(z)], z[np.isfinite(z)]
    summary = {"wrong": [(structure, n) for _, n, structure in wrong.index], "number": len(z)}
    summary["sizes"] = sorted(set(z.index.get_level_values("n")))
    if len(z):
        farthest = z.abs().idxmax()
        summary |= {"mean": z.mean(), "deviation": z.std()}
        summary |= {"largest": z[farthest], "structure": farthest[2]}
        rows = scores[scores["method"] == "reference"].set_index(PAIR).loc[z.index]
        summary["error"] = rows.loc[farthest, "standard_error"]
        summary["usual_error"] = rows["standard_error"].mean()
        summary["nats"] = summary["largest"] * summary["error"]
        summary |= largest_by_chance(rows["restarts"].dropna().astype(float), abs(z[farthest]))
    return summary


def largest_by_chance(runs: pd.Series, largest: float) -> dict:
    """The largest absolute value, by chance, of several ratios of a difference to a standard error
    from so many ``runs``: Student's t with runs - 1 degrees of freedom. The ``fewest`` and ``most``
    runs; the ``median`` of the largest, its 95 % quantile ``high``, and the ``probability`` that it
    is at least ``largest``. Nothing where any ratio has fewer than two runs.

    >>> chance = largest_by_chance(pd.Series([16.0]), 2.1314)
    >>> round(chance["probability"], 3), round(chance["high"], 2)
    (0.05, 2.13)
    """
    if runs.empty or runs.min() < 2:
        return {}
    counts = runs.value_counts()

    def below(x: float) -> float:
        """ln of the probability that all are below ``x``."""
        tails = 2 * scipy.stats.t.sf(x, counts.index - 1)
        with np.errstate(divide="ignore"):  # nothing is below 0
            return float((counts * np.log1p(-tails)).sum())

    def quantile(p: float) -> float:
        return scipy.optimize.brentq(lambda x: below(x) - np.log(p), 1e-9, 1e9)

    summary = {"fewest": int(runs.min()), "most": int(runs.max())}
    summary |= {"median": quantile(0.5), "high": quantile(0.95)}
    return summary | {"probability": -np.expm1(below(largest))}


def missed_targets(scores: pd.DataFrame, target: float) -> pd.DataFrame:
    """The reference's rows of the table ``scores`` whose standard error is missing or above
    `target_at` of n and ``target`` (nats), with ``excess``, the one over the other, the largest
    first and missing ones last.
    """
    rows = frames.in_order(scores[(scores["method"] == "reference") & scores["score"].notna()])
    excess = rows["standard_error"] / rows["n"].map(lambda n: target_at(n, target)).astype(float)
    rows = rows.assign(excess=excess)
    return rows[~(rows["excess"] <= 1)].sort_values("excess", ascending=False, kind="stable")


def having_exact(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of each structure that has an exact one: (draw, n, structure) by method."""
    return method_columns(exact_pairs(scores), "score", PAIR)


def exact_gaps(wide: pd.DataFrame) -> pd.DataFrame:
    """Score minus exact evidence, in nats, over the rows of ``wide``, which `having_exact` gives:
    by method (index) the number of ``structures``, ``mean``, ``deviation``, ``lowest``,
    ``highest``, and the rank ``correlation`` with the exact evidence.
    """
    compared = wide[present(set(wide) & set(COMPARED))].dropna(axis=1, how="all")
    gaps = compared.sub(wide["exact"], axis=0).agg(["count", "mean", "std", "min", "max"]).T
    gaps.columns = ["structures", "mean", "deviation", "lowest", "highest"]
    of_exact = {m: frames.correlation(compared[m], wide["exact"]) for m in compared}
    return gaps.astype({"structures": int}).assign(correlation=pd.Series(of_exact))


def negative_gaps(sandwich: pd.DataFrame) -> int:
    """In how many rows of the table ``sandwich`` the upper bound is below the lower one; both have
    errors.
    """
    return int((sandwich["gap"] < 0).sum())


def sandwich_gaps(sandwich: pd.DataFrame) -> pd.DataFrame:
    """The table ``sandwich`` with further columns: ``error``, the standard error of the gap in
    nats; ``crossed``, whether the upper bound is below the lower one by over `FAR` errors; and
    ``largest``, whether the gap is the largest of all.
    """
    error = np.hypot(*sandwich[["lower_error", "upper_error"]].astype(float).to_numpy().T)
    gap = sandwich["gap"]
    crossed = gap < -FAR * error - SLACK
    return sandwich.assign(error=error, crossed=crossed, largest=gap == gap.max())
