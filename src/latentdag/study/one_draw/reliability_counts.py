"""Which probabilities a score gives to statements about one draw, and how many of them are true."""

import numpy as np
import pandas as pd

from latentdag.ranking.probabilities import sharing
from latentdag.study.one_draw.score_arrays import ScoreArrays, class_arrays, structure_arrays
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import sorted_by
from latentdag.study.schema.words import parents_of

EDGES = np.arange(1, 10) / 10  # between the bins of probability; an edge belongs to the upper one


def reliability_counts(
    scores: pd.DataFrame, structures: pd.DataFrame, true_structure: str
) -> pd.DataFrame:
    """The table `reliability_counts` of one draw, a DataFrame, from ``scores``, the table of scores
    as `join_evidence` returns it, and the table ``structures``, for methods from which a posterior
    follows; bins of probability without a statement are left out. The statements: each structure is
    ``true_structure``, each class holds it, each pair of observed variables has a common hidden
    parent. A structure without a score has probability 0. Raises ValueError as `structure_arrays`.
    """
    arrays = structure_arrays(scores, structures, true_structure)
    classes = class_arrays(arrays, structures)
    shared = np.array([sharing(parents_of(s)) for s in arrays.items], dtype=bool)  # (K, pairs)
    p, of_classes = np.exp(arrays.log_probabilities()), np.exp(classes.log_probabilities())
    parts = [
        _counts("structure", arrays, p, np.arange(len(arrays.items)) == arrays.true),
        _counts("class", classes, of_classes, np.arange(len(classes.items)) == classes.true),
        _counts("shared cause", arrays, p @ shared, shared[arrays.true]),
    ]
    table = sorted_by(pd.concat(parts), ["n", "method", "what", "bin"])
    return table[list(TABLES["reliability_counts"].columns)].reset_index(drop=True)


def _counts(what: str, arrays: ScoreArrays, p: np.ndarray, true: np.ndarray) -> pd.DataFrame:
    """Statements by bin, from their probabilities (N, M, K) and whether they are true (K,)."""
    n, m, k = np.nonzero(~np.isnan(p))
    p = p[n, m, k]
    bins = np.digitize(p.round(12), EDGES)  # a sum that is 0.5 but for rounding
    methods = np.array(arrays.methods, dtype=object)[m]
    of = {"draw": arrays.draw, "n": arrays.sizes[n], "method": methods, "what": what, "bin": bins}
    each = pd.DataFrame(
        of | {"number": 1, "sum_probability": p, "number_true": true[k].astype(int)}
    )
    return each.groupby([*of], as_index=False).sum()
