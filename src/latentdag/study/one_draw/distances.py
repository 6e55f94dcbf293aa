"""How near each score is to the evidence, by three measures: the error in nats, the rank of the
true structure, and the order of all structures; and what limits VB's rank.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from latentdag.scores import SPECS, present
from latentdag.scores.base import Side
from latentdag.study.one_draw.errors import JUDGED, mean_absolute
from latentdag.study.one_draw.ranks import beats, rank_by_size
from latentdag.study.schema.frames import correlation, method_columns

MEASURES = ("mean absolute error", "rank of the true structure", "order of all structures")
NOTHING, BOUND, DATA = "nothing (VB ranks it first)", "the bound", "the data"
BOTH, UNDECIDED = "the data and the bound", "undecided"
PERHAPS = "the bound, and perhaps the data"


def measures(
    errors: pd.DataFrame, ranks: pd.DataFrame, scores: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """For each of MEASURES a distance from the evidence, n by method; 0 is best. The last is 1 -
    the rank correlation. A measure whose table is empty is empty.
    """
    found = mean_absolute(errors), rank_distance(ranks), 1 - order_correlation(scores)
    return dict(zip(MEASURES, found, strict=True))


def rank_distance(ranks: pd.DataFrame) -> pd.DataFrame:
    """How far the true structure's rank by each judged method is from the reference's interval."""
    if "reference" not in set(ranks["method"]):
        return pd.DataFrame()
    wide = rank_by_size(ranks)
    low, high = (rank_by_size(ranks, end)["reference"] for end in ("rank_low", "rank_high"))
    judged = wide[present(set(wide) & set(JUDGED))]
    return judged.apply(lambda r: np.maximum(np.maximum(low - r, r - high), 0)).dropna(how="all")


def order_correlation(scores: pd.DataFrame) -> pd.DataFrame:
    """Rank correlation over structures of each judged score with the reference: n by method."""
    wide = method_columns(scores, "score", ["n", "structure"])
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


def sizes_in_order(
    measures: Mapping[str, pd.DataFrame], methods: Sequence[str]
) -> dict[str, tuple[int, int, list[int]]]:
    """By each of `measures` that is known: at how many sizes the methods stand in this order,
    nearest first, ties allowed; of how many; and the sizes at which they stand in another one.
    """
    found = {}
    for what, distances in measures.items():
        known = distances.reindex(columns=methods).dropna()
        if len(known):
            right = known.T.apply(lambda at_n: at_n.is_monotonic_increasing)
            found[what] = int(right.sum()), len(known), known.index[~right].tolist()
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
    """By size, the score nearest to the evidence, the first in the registry of equals, "" where
    none is known. The evidence is left out, and all that sample, too, without ``sampling``.
    """
    rivals = [
        m
        for m in distances
        if SPECS[m].side is not Side.EVIDENCE and (sampling or not SPECS[m].monte_carlo)
    ]
    known = distances[rivals].dropna(how="all")
    return known.idxmin(axis=1).reindex(distances.index, fill_value="").astype(object)


def vb_limits(ranks: pd.DataFrame) -> pd.DataFrame:
    """By size, the reference's ``rank``, ``low`` and ``high``, VB's rank ``vb``, and what it is
    ``limited_by``: by the data where the evidence does not rank the true structure first, by its
    bound where VB's rank is beyond the interval of the evidence's; where this holds 1 and other
    ranks, perhaps by the data. Empty where either did not run.
    """
    if not {"vb", "reference"} <= set(ranks["method"]):
        return pd.DataFrame(columns=["limited_by"])
    ends = {"rank": "rank", "low": "rank_low", "high": "rank_high"}
    found = pd.DataFrame(
        {name: rank_by_size(ranks, end)["reference"] for name, end in ends.items()}
        | {"vb": rank_by_size(ranks)["vb"]}
    ).dropna()
    vb = found["vb"]
    low, high = found[["rank", "low"]].min(axis=1), found[["rank", "high"]].max(axis=1)
    limits = {  # the first that holds
        **{NOTHING: vb == 1, BOUND: high == 1},
        **{DATA: (low > 1) & (vb <= high), BOTH: low > 1, PERHAPS: vb > high},
    }
    found["limited_by"] = np.select([*limits.values()], [*limits], UNDECIDED)
    return found


def sizes_by_limit(limits: pd.DataFrame) -> dict[str, list[int]]:
    """From `vb_limits`, the sizes at which VB's rank is limited by each."""
    return {what: list(rows.index) for what, rows in limits.groupby("limited_by")}
