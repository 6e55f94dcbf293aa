"""What the statistics share: frames in the order of all tables, and by method."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import scipy

from latentdag.scores import METHODS, present
from latentdag.study.schema.columns import TABLES

PAIR = ["draw", "n", "structure"]  # of structure and data set


def in_order(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of ``scores``, a DataFrame, in the order of the table of scores: by draw, n, method
    as in the registry, number of parameters, structure.
    """
    return sorted_by(scores, TABLES["scores"].order)


def sorted_by(table: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The rows of the DataFrame ``table`` in ascending order of ``columns``, names, methods as in
    the registry. Raises ValueError for a method that is not in it.
    """
    return table.sort_values(
        list(columns), key=lambda c: c.map(METHODS.index) if c.name == "method" else c
    )


def method_columns(frame: pd.DataFrame, value: str, index: str | list[str] = "n") -> pd.DataFrame:
    """The column ``value`` of ``frame`` as a DataFrame by ``index``, the name of one column or a
    list of several, and by method, a column each in the registry's order; nan where a method has no
    row. Raises ValueError where it has two.
    """
    wide = frame.pivot(index=index, columns="method", values=value)
    return wide[present(wide.columns)]


def root_mean_square(values: pd.Series) -> float:
    """The root of the mean square of ``values``, without those that are nan: a float."""
    return float(np.sqrt((values**2).mean()))


def correlation(a: pd.Series, b: pd.Series) -> float:
    """Spearman's rank correlation, a float, of the Series ``a`` and ``b`` over the index entries at
    which both have a value; nan where either is constant.
    """
    both = pd.concat([a, b], axis=1, join="inner").dropna().to_numpy(float)
    return rank_correlation(*both.T)


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's rank correlation of two arrays without nan, (K,); nan where either is constant."""
    ranks = [scipy.stats.rankdata(values) for values in (a, b)]
    if not len(a) or any(np.ptp(r) == 0 for r in ranks):
        return np.nan
    return float(np.corrcoef(*ranks)[0, 1])
