"""Whether the scores stand as near to the evidence as the paper says, by three measures: the error
in nats, the rank of the true structure, and the order of all structures.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from latentdag.study.one_draw import ranks as of_ranks
from latentdag.study.one_draw.errors import JUDGED, mean_absolute
from latentdag.study.schema.frames import by_method, correlation, present
from latentdag.study.schema.two_methods import best_evidence

MEASURES = ("mean absolute error", "rank of the true structure", "order of all structures")


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
    wide = of_ranks.by_size(ranks)
    low, high = (of_ranks.by_size(ranks, end)["reference"] for end in ("rank_low", "rank_high"))
    judged = wide[present(set(wide) & set(JUDGED))]
    return judged.apply(lambda r: np.maximum(np.maximum(low - r, r - high), 0)).dropna(how="all")


def order_correlation(scores: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rank correlation of each judged method's scores with the reference over the
    structures, of one draw, by `best_evidence`: n by method.
    """
    wide = by_method(best_evidence(scores), "score", ["n", "structure"])
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
