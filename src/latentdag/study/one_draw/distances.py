"""How near each score is to the evidence, by three measures: the error in nats, the rank of the
true structure, and the order of all structures; and what limits VB's rank.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.study.one_draw.errors import JUDGED, mean_absolute
from latentdag.study.one_draw.ranks import beats, rank_by_size
from latentdag.study.schema.frames import by_method, correlation, present

MEASURES = ("mean absolute error", "rank of the true structure", "order of all structures")
NOTHING, BOUND, DATA = "nothing (VB ranks it first)", "the bound", "the data"
BOTH, UNDECIDED = "the data, and the bound", "undecided"


def measures(
    errors: pd.DataFrame, ranks: pd.DataFrame, scores: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """For each of MEASURES a distance from the evidence, n by method, of one draw; 0 is best.

    The last is 1 - the rank correlation. A measure whose table is empty is empty.
    """
    found = mean_absolute(errors), rank_distance(ranks), 1 - order_correlation(scores)
    return dict(zip(MEASURES, found, strict=True))


def rank_distance(ranks: pd.DataFrame) -> pd.DataFrame:
    """How far each judged method's rank of the true structure is from the reference's interval, of
    one draw: n by method.
    """
    if "reference" not in set(ranks["method"]):
        return pd.DataFrame()
    wide = rank_by_size(ranks)
    low, high = (rank_by_size(ranks, end)["reference"] for end in ("rank_low", "rank_high"))
    judged = wide[present(set(wide) & set(JUDGED))]
    return judged.apply(lambda r: np.maximum(np.maximum(low - r, r - high), 0)).dropna(how="all")


def order_correlation(scores: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rank correlation of each judged method's scores with the reference over the
    structures, of one draw, from the scores `with_evidence`: n by method.
    """
    wide = by_method(scores, "score", ["n", "structure"])
    if "reference" not in wide:
        return pd.DataFrame()
    wide = wide[wide["reference"].notna()]
    judged = present(set(wide) & set(JUDGED))
    found = {
        n: {m: correlation(here[m], here["reference"]) for m in judged}
        for n, here in wide.groupby(level="n")
        if len(here) > 1
    }
    return pd.DataFrame.from_dict(found, orient="index", columns=judged).dropna(how="all")


def in_this_order(distances: pd.DataFrame, methods: Sequence[str]) -> pd.Series:
    """By size, whether the methods stand in this order, nearest to the evidence first, ties
    allowed; at the sizes at which all are known.
    """
    known = distances.reindex(columns=methods).dropna()
    right = [known[a] <= known[b] for a, b in pairwise(methods)]
    return pd.Series(np.logical_and.reduce(right), index=known.index, dtype=bool)


def sizes_in_order(
    measures: Mapping[str, pd.DataFrame], methods: Sequence[str]
) -> dict[str, tuple[int, int, list[int]]]:
    """By each of `measures` that is known: at how many sizes the methods stand `in_this_order`, at
    how many all are known, and the sizes at which they stand in another one.
    """
    found = {}
    for what, distances in measures.items():
        right = in_this_order(distances, methods)
        if len(right):
            found[what] = int(right.sum()), len(right), right.index[~right].tolist()
    return found


def nearer(
    measures: Mapping[str, pd.DataFrame], a: str, b: str
) -> dict[str, tuple[int, int, int, list[int]]]:
    """By each of `measures` that has both: at how many sizes ``a`` is nearer to the evidence than
    ``b``, farther, and as near; and the sizes at which it is nearer.
    """
    return {
        what: (*beats(by[a], by[b]), by.index[by[a] < by[b]].tolist())
        for what, by in measures.items()
        if len(by) and {a, b} <= set(by)
    }


def nearest(distances: pd.DataFrame, sampling: bool = True) -> pd.Series:
    """By size, the score that is nearest to the evidence, from distances by n and method; the first
    in the registry of those equally near, and none, "", where no distance is known.

    The evidence itself is left out, and all that sample, too, without ``sampling``.
    """
    rivals = [
        m
        for m in distances
        if SPECS[m].side is not Side.EVIDENCE and (sampling or not SPECS[m].monte_carlo)
    ]
    known = distances[rivals].dropna(how="all")
    return known.idxmin(axis=1).reindex(distances.index, fill_value="").astype(object)


def limited_by(vb: float, reference: float, low: float, high: float) -> str:
    """What keeps VB's rank of the true structure from 1, given the reference's rank and its
    interval.

    Where the evidence itself does not rank the true structure first, the data limit VB; where it
    does and VB does not, its bound does; undecided where the interval holds 1 and other ranks.
    """
    if vb == 1:
        return NOTHING
    if max(reference, high) == 1:
        return BOUND
    if min(reference, low) > 1:
        return DATA if vb <= max(reference, high) else BOTH
    return UNDECIDED


def vb_limits(ranks: pd.DataFrame) -> pd.DataFrame:
    """By size, of one draw: the reference's ``rank``, ``low`` and ``high``, VB's rank ``vb``, and
    what that is ``limited_by``; empty where either did not run.
    """
    if not {"vb", "reference"} <= set(ranks["method"]):
        return pd.DataFrame()
    ends = {"rank": "rank", "low": "rank_low", "high": "rank_high"}
    found = pd.DataFrame(
        {name: rank_by_size(ranks, end)["reference"] for name, end in ends.items()}
        | {"vb": rank_by_size(ranks)["vb"]}
    ).dropna()
    found["limited_by"] = [
        limited_by(r.vb, r.rank, r.low, r.high) for r in found.itertuples(index=False)
    ]
    return found


def sizes_by_limit(limits: pd.DataFrame) -> dict[str, list[int]]:
    """From `vb_limits`, the sizes at which VB's rank is limited by each."""
    return {what: list(rows.index) for what, rows in limits.groupby("limited_by")}
