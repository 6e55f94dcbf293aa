"""Checks of the evidence: against the exact one, its target of precision, and bounds."""

import numpy as np
import pandas as pd
import scipy

from latentdag.engine.significance import FAR
from latentdag.scores import present
from latentdag.scores.reference import target_at
from latentdag.study.one_draw.errors import LOWER_BOUNDS, SLACK
from latentdag.study.schema.frames import PAIR, in_order

TABLE_ROUNDING = 2e-6  # nats: of the difference of two scores, tabulated to 1e-6


def bounds_above_reference(errors: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by lower bound (index) from the table ``errors``: the number of `pairs` of
    structure and data set with a standard error, and in how many of these the bound is `above` the
    reference by over `FAR` errors (and `SLACK`).
    """
    errors = errors.dropna(subset="standard_error")
    over = errors["error_nats"] > FAR * errors["standard_error"] + SLACK
    counts = over.groupby(errors["method"]).agg(above="sum", pairs="size")
    return counts.loc[present(m for m in counts.index if m in LOWER_BOUNDS)]


def exact_pairs(scores: pd.DataFrame) -> pd.DataFrame:
    """The reference's rows of the table ``scores`` whose structure and data set have an exact
    evidence, by draw, n and structure (index), with that evidence in nats as a further column
    ``exact``.
    """
    exact = scores.loc[scores["method"] == "exact", [*PAIR, "score"]].dropna()
    reference = scores[scores["method"] == "reference"]
    return reference.merge(exact.rename(columns={"score": "exact"}), on=PAIR).set_index(PAIR)


def z_scores(pairs: pd.DataFrame) -> pd.Series:
    """A Series by draw, n and structure of (reference - exact) / standard error, from ``pairs``,
    the DataFrame of `exact_pairs`. Where the reference is exact itself (an error of no more than
    writing it down), z is left out if it agrees and infinite if not. Nor is there a z without a
    standard error.
    """
    gap, error = pairs["score"] - pairs["exact"], pairs["standard_error"]
    z = gap / error.where(error > 5 * TABLE_ROUNDING)
    wrong = (error <= 5 * TABLE_ROUNDING) & (gap.abs() > 5 * error + TABLE_ROUNDING)
    z[wrong] = np.sign(gap[wrong]) * np.inf
    return z.dropna()


def exact_ratios(scores: pd.DataFrame) -> dict:
    """A dict that summarises the `z_scores` of the table ``scores``: the pairs (structure, n) that
    are `wrong`, with infinite z; `number` and `sizes` of the others, and if there are any, their
    `mean`, `deviation` and `largest` by absolute value, with its `structure`, difference `nats` and
    `error`; the `lowest` and `highest` difference of all, in nats; and `largest_by_chance`.
    """
    pairs = exact_pairs(scores)
    z = z_scores(pairs)
    wrong, z = z[np.isinf(z)], z[np.isfinite(z)]
    summary = {"wrong": [(structure, n) for _, n, structure in wrong.index], "number": len(z)}
    summary["sizes"] = sorted(set(z.index.get_level_values("n")))
    if len(z):
        farthest = z.abs().idxmax()
        summary |= {"mean": z.mean(), "deviation": z.std()}
        summary |= {"largest": z[farthest], "structure": farthest[2]}
        summary["error"] = pairs.loc[farthest, "standard_error"]
        summary["nats"] = summary["largest"] * summary["error"]
        gap = pairs["score"] - pairs["exact"]
        summary |= {"lowest": gap.min(), "highest": gap.max()}
        runs = pairs.loc[z.index, "restarts"].dropna().astype(float)
        summary |= largest_by_chance(runs, abs(z[farthest]))
    return summary


def largest_by_chance(runs: pd.Series, largest: float) -> dict:
    """How large by chance the largest absolute value is of several ratios of a difference to a
    standard error from so many ``runs``, a Series: Student's t with runs - 1 degrees of freedom.
    Returns a dict: the `fewest` and `most` runs, and the `probability` that the largest is at least
    ``largest``. Empty without a ratio, or where any has fewer than two runs.

    >>> round(largest_by_chance(pd.Series([16.0]), 2.1314)["probability"], 3)
    0.05
    """
    if runs.empty or runs.min() < 2:
        return {}
    counts = runs.value_counts()
    tails = 2 * scipy.stats.t.sf(largest, counts.index - 1)
    with np.errstate(divide="ignore"):  # nothing is below 0
        log_all_below = (counts * np.log1p(-tails)).sum()
    summary = {"fewest": int(runs.min()), "most": int(runs.max())}
    return summary | {"probability": float(-np.expm1(log_all_below))}


def missed_targets(scores: pd.DataFrame, target: float) -> pd.DataFrame:
    """The reference's rows of the table ``scores`` whose standard error is missing or above
    `target_at` of n and ``target`` (nats), with a column `excess`, the error over that, the largest
    first and missing ones last.
    """
    rows = in_order(scores[(scores["method"] == "reference") & scores["score"].notna()])
    excess = rows["standard_error"] / rows["n"].map(lambda n: target_at(n, target)).astype(float)
    rows = rows.assign(excess=excess)
    return rows[~(rows["excess"] <= 1)].sort_values("excess", ascending=False, kind="stable")


def sandwich_gaps(sandwich: pd.DataFrame) -> pd.DataFrame:
    """The table ``sandwich`` with further columns: ``error``, the standard error of the gap in
    nats; ``crossed``, whether the upper bound is below the lower one by over `FAR` errors; and
    ``largest``, whether the gap is the largest of all.
    """
    error = np.hypot(*sandwich[["lower_error", "upper_error"]].astype(float).to_numpy().T)
    gap = sandwich["gap"]
    crossed = gap < -FAR * error - SLACK
    return sandwich.assign(error=error, crossed=crossed, largest=gap == gap.max())
