"""How near each score is to the evidence, by three measures: the error in nats, the rank of the
true structure, and the order of all structures.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from latentdag.scores import SPECS, present
from latentdag.scores.base import Side
from latentdag.study.one_draw.errors import JUDGED, mean_absolute
from latentdag.study.one_draw.ranks import beats, rank_by_size
from latentdag.study.schema.frames import correlation, method_columns

MEASURES = ("mean absolute error", "rank of the true structure", "order of all structures")


def measures(
    errors: pd.DataFrame, ranks: pd.DataFrame, scores: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """For each of MEASURES the distance of each score from the evidence on one draw, n by method, 0
    the best: the mean absolute error in nats, from the table ``errors``; the `rank_distance`, from
    the table ``ranks``; and 1 - `order_correlation`, from the table ``scores``. A measure whose
    table is empty is empty.
    """
    distances = mean_absolute(errors), rank_distance(ranks), 1 - order_correlation(scores)
    return dict(zip(MEASURES, distances, strict=True))


def rank_distance(ranks: pd.DataFrame) -> pd.DataFrame:
    """By how many ranks the true structure's rank by each judged method lies outside the
    reference's interval, ``rank_low`` to ``rank_high``, and 0 within it: n by method, from the
    table ``ranks`` of one draw; empty without the reference.
    """
    if "reference" not in set(ranks["method"]):
        return pd.DataFrame()
    wide = rank_by_size(ranks)
    low, high = (rank_by_size(ranks, end)["reference"] for end in ("rank_low", "rank_high"))
    judged = wide[present(set(wide) & set(JUDGED))]
    return judged.apply(lambda r: np.maximum(np.maximum(low - r, r - high), 0)).dropna(how="all")


def order_correlation(scores: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rank correlation, over the structures, of each judged score with the reference: n
    by method, from the table ``scores`` of one draw; empty without the reference.
    """
    wide = method_columns(scores, "score", ["n", "structure"])
    if "reference" not in wide:
        return pd.DataFrame()
    wide = wide[wide["reference"].notna()]
    judged = present(set(wide) & set(JUDGED))
    correlations = {
        n: {m: correlation(of_size[m], of_size["reference"]) for m in judged}
        for n, of_size in wide.groupby(level="n")
        if len(of_size) > 1
    }
    return pd.DataFrame.from_dict(correlations, orient="index", columns=judged).dropna(how="all")


def nearer(
    measures: Mapping[str, pd.DataFrame], a: str, b: str
) -> dict[str, tuple[int, int, int, list[int]]]:
    """By name, for each frame of distances in ``measures`` (n by method) that has both methods: at
    how many sizes ``a`` is nearer to the evidence than ``b``, farther, and as near; and the sizes
    at which it is nearer.
    """
    return {
        what: (*beats(by[a], by[b]), by.index[by[a] < by[b]].tolist())
        for what, by in measures.items()
        if len(by) and {a, b} <= set(by)
    }


def nearest(distances: pd.DataFrame, sampling: bool = True) -> pd.Series:
    """By size, the score with the smallest of ``distances`` from the evidence (n by method, one of
    `measures`), the first in the registry of equals, "" where none is known. The evidence is left
    out, and without ``sampling`` all Monte Carlo scores, too.
    """
    rivals = [
        m
        for m in distances
        if SPECS[m].side is not Side.EVIDENCE and (sampling or not SPECS[m].monte_carlo)
    ]
    compared = distances[rivals].dropna(how="all")
    return compared.idxmin(axis=1).reindex(distances.index, fill_value="").astype(object)
