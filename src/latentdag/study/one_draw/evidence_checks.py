"""Checks of the evidence: the reference against the exact evidence and its target of precision,
lower bounds against both, and bounds on both sides.
"""

import numpy as np
import pandas as pd
import scipy

from latentdag.scores import METHODS, SPECS
from latentdag.scores.reference import target_at
from latentdag.study.one_draw.errors import LOWER_BOUNDS, SLACK, SURE
from latentdag.study.schema.frames import (
    PAIR,
    by_method,
    correlation,
    in_order,
    present,
    root_mean_square,
)

ROUNDING = 2e-6  # nats: of the difference of two scores, tabulated to 1e-6
COMPARED = tuple(m for m, spec in SPECS.items() if spec.judged and m != "exact")
NOISY = tuple(m for m in METHODS if SPECS[m].monte_carlo and m not in ("exact", "reference"))
FAR = 2.0  # standard errors
CHANCE = 0.0455  # probability that a normal deviate is farther
WIDE = 1.0  # nats between the two that are worth a name


def above_reference(errors: pd.DataFrame) -> pd.DataFrame:
    """For each lower bound of the evidence, of how many ``pairs`` of structure and size it lies
    ``above`` the reference by more than `SURE` standard errors.
    """
    over = errors["error_nats"] > SURE * errors["standard_error"] + SLACK
    found = over.groupby(errors["method"]).agg(["sum", "size"])
    found.columns = ["above", "pairs"]
    return found.loc[present(m for m in found.index if m in LOWER_BOUNDS)]


def z_scores(scores: pd.DataFrame) -> pd.Series:
    """(reference - exact) / standard error by draw, n, structure, wherever both are known.

    Where the reference is exact itself (no error but that of writing it down) there is no z: it is
    left out when it agrees and infinite when it does not.
    """
    exact = scores.loc[scores["method"] == "exact", [*PAIR, "score"]]
    reference = scores.loc[scores["method"] == "reference", [*PAIR, "score", "standard_error"]]
    both = reference.merge(exact, on=PAIR, suffixes=("", "_exact")).set_index(PAIR)
    gap, error = both["score"] - both["score_exact"], both["standard_error"]
    noisy = error > 5 * ROUNDING
    z = gap / error.where(noisy)
    wrong = ~noisy & (gap.abs() > 5 * error.fillna(0.0) + ROUNDING)
    z[wrong] = np.sign(gap[wrong]) * np.inf
    return z.dropna()


def against_exact(scores: pd.DataFrame) -> dict:
    """The `z_scores` of all draws in short: the pairs (structure, n) that are ``wrong``, where the
    reference claims to be exact and is not; and of the others their ``number`` and ``sizes``, and
    where there are any, ``mean``, standard ``deviation``, and the ``largest`` by absolute value
    with its ``structure``, its difference ``nats``, and the mean ``usual_error`` of all next to its
    ``error``; and what chance alone makes of the largest, see `largest_by_chance`.
    """
    z = z_scores(scores)
    wrong, z = z[np.isinf(z)], z[np.isfinite(z)]
    found = {"wrong": [(structure, n) for _, n, structure in wrong.index], "number": len(z)}
    found["sizes"] = sorted(set(z.index.get_level_values("n")))
    if len(z):
        farthest = z.abs().idxmax()
        found |= {"mean": z.mean(), "deviation": z.std()}
        found |= {"largest": z[farthest], "structure": farthest[2]}
        rows = scores[scores["method"] == "reference"].set_index(PAIR).loc[z.index]
        found["error"] = rows.loc[farthest, "standard_error"]
        found["usual_error"] = rows["standard_error"].mean()
        found["nats"] = found["largest"] * found["error"]
        found |= largest_by_chance(rows["restarts"].dropna().astype(float), abs(z[farthest]))
    return found


def largest_by_chance(runs: pd.Series, largest: float) -> dict:
    """What the largest absolute value of several ratios of a difference to its standard error is by
    chance, where each standard error comes from its number of ``runs``: their range, ``fewest`` and
    ``most``; the ``median`` of the largest, the value that it exceeds with probability 0.05,
    ``high``; and the ``probability`` that it is at least ``largest``. Nothing where any ratio has
    fewer than two runs.

    A ratio is then one of Student's t with as many degrees of freedom as runs less one, if the
    estimates are normal.

    >>> found = largest_by_chance(pd.Series([16.0]), 2.1314)
    >>> round(found["probability"], 3), round(found["high"], 2)
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

    found = {"fewest": int(runs.min()), "most": int(runs.max())}
    found |= {"median": quantile(0.5), "high": quantile(0.95)}
    return found | {"probability": -np.expm1(below(largest))}


def missed_targets(scores: pd.DataFrame, target: float) -> pd.DataFrame:
    """Rows of the reference, where it has a score, whose standard error is above that of
    `target_at`, or missing; the farthest above first.
    """
    rows = in_order(scores[(scores["method"] == "reference") & scores["score"].notna()])
    excess = rows["standard_error"] / rows["n"].map(lambda n: target_at(n, target)).astype(float)
    rows = rows.assign(excess=excess)
    return rows[~(rows["excess"] <= 1)].sort_values("excess", ascending=False, kind="stable")


def with_exact(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of each structure that has an exact one: (draw, n, structure) by method."""
    wide = by_method(scores, "score", ["draw", "n", "structure"])
    return wide[wide["exact"].notna()] if "exact" in wide else wide.iloc[:0]


def exact_gaps(wide: pd.DataFrame) -> pd.DataFrame:
    """Score minus exact evidence, in nats, over the structures of `with_exact`, by method:
    ``structures``, ``mean``, ``deviation``, ``lowest``, ``highest``, and the rank ``correlation``.
    """
    known = wide[present(set(wide) & set(COMPARED))].dropna(axis=1, how="all")
    found = known.sub(wide["exact"], axis=0).agg(["count", "mean", "std", "min", "max"]).T
    found.columns = ["structures", "mean", "deviation", "lowest", "highest"]
    of_exact = {m: correlation(known[m], wide["exact"]) for m in known}
    return found.astype({"structures": int}).assign(correlation=pd.Series(of_exact))


def in_standard_errors(scores: pd.DataFrame, method: str) -> pd.Series:
    """(score - exact evidence) / standard error of one method by draw, n, structure, where both are
    known and the error is above 0.
    """
    wide = with_exact(scores)
    index = ["draw", "n", "structure"]
    rows = scores[scores["method"] == method].set_index(index)["standard_error"]
    errors = rows.reindex(wide.index).astype(float)
    return ((wide[method] - wide["exact"]) / errors.where(errors > 0)).dropna()


def bounds_kept(wide: pd.DataFrame) -> list[tuple[str, str, int, int]]:
    """For CS below VB, and each lower bound below the exact evidence: low, high, in how many
    structures it is, of how many.
    """
    found = []
    for low, high in (("cs", "vb"), *((m, "exact") for m in LOWER_BOUNDS)):
        if {low, high} <= set(wide):
            gap = (wide[high] - wide[low]).dropna()
            found.append((low, high, int((gap >= -SLACK).sum()), len(gap)))
    return found


def in_short(scores: pd.DataFrame) -> pd.DataFrame:
    """`in_standard_errors` of each judged score with a Monte Carlo error, by method: their
    ``number``, ``mean``, root ``mean_square`` and ``largest`` by absolute value; how many lie
    ``beyond`` `FAR`, and how many are ``expected`` to by chance.
    """
    rows = {}
    for m in (m for m in present(scores["method"]) if m in NOISY):
        z = in_standard_errors(scores, m)
        if len(z):
            rows[m] = {
                "number": len(z),
                "mean": z.mean(),
                "mean_square": root_mean_square(z),
                "largest": z.abs().max(),
                "beyond": int((z.abs() > FAR).sum()),
                "expected": CHANCE * len(z),
            }
    return pd.DataFrame.from_dict(rows, orient="index")


def exact_checks(
    scores: pd.DataFrame,
) -> dict[int, tuple[pd.DataFrame, pd.DataFrame, list[tuple[str, str, int, int]]]]:
    """By n, at the sizes that have exact evidence, what it says of the scores of all draws there:
    `exact_gaps`, `in_short` and `bounds_kept`.
    """
    sizes = ((n, at_n, with_exact(at_n)) for n, at_n in scores.groupby("n"))
    return {
        n: (exact_gaps(both), in_short(at_n), bounds_kept(both))
        for n, at_n, both in sizes
        if len(both)
    }


def sandwich_gaps(sandwich: pd.DataFrame, truth: str | None = None) -> pd.DataFrame:
    """Rows of the sandwich table, the gaps farthest from 0 first, with the standard ``error`` of
    the gap, whether it is ``wide``, over `WIDE`, and whether the bounds are ``crossed``: the upper
    below the lower by more than `SURE` standard errors; whether the structure is the true one,
    ``of_truth``, and whether the gap is the ``largest`` of its structures, or of all others.
    """
    error = np.hypot(
        sandwich["lower_error"].fillna(0.0).astype(float),
        sandwich["upper_error"].fillna(0.0).astype(float),
    )
    gap, of_truth = sandwich["gap"], sandwich["structure"] == truth
    found = sandwich.assign(
        error=error,
        wide=gap > WIDE,
        crossed=gap < -SURE * error - SLACK,
        of_truth=of_truth,
        largest=gap.index.isin(gap.groupby(of_truth).idxmax()),
    )
    return found.sort_values("gap", key=abs, ascending=False, kind="stable")
