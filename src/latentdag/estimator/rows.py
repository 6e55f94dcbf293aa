"""The rows that the estimator takes, and the checks on them by the conventions of scikit-learn."""

import sys
import warnings

import numpy as np
import pandas as pd

from latentdag.data.counts import MAX_COUNT

NAME = "LatentCauses"


class NotFittedError(ValueError, AttributeError):
    """The estimator is used before `fit`."""


def not_fitted() -> Exception:
    """The error of scikit-learn where that is loaded, else the one of this module."""
    words = f"This {NAME} instance is not fitted yet: call 'fit' first"
    if sys.modules.get("sklearn") is not None:
        from sklearn.exceptions import NotFittedError as theirs

        return theirs(words)
    return NotFittedError(words)


def frame_of(rows) -> pd.DataFrame:
    """The ``rows`` as a DataFrame: one is taken as it is; an array, or what becomes one, has
    columns y1 to yJ. Raises ValueError or TypeError for what is no table of categories.
    """
    if hasattr(rows, "toarray"):
        raise TypeError("a sparse array was passed, but dense rows of categories are needed")
    rows = rows.to_pandas() if hasattr(rows, "to_pandas") else rows
    if isinstance(rows, pd.DataFrame):
        values = rows
    else:
        array = rows if isinstance(rows, np.ndarray) else np.asarray(rows, dtype=object)
        if array.ndim != 2:
            raise ValueError(
                f"Expected 2D array, got {array.ndim}D array instead: rows of {NAME} have one "
                "column per variable. Reshape your data"
            )
        names = [f"y{j + 1}" for j in range(array.shape[1])]
        values = pd.DataFrame(array, columns=names).infer_objects()
    for number, kind in zip(values.shape[::-1], ("feature", "sample"), strict=True):
        if number < 1:
            raise ValueError(
                f"Found array with 0 {kind}(s) (shape={values.shape}) while a minimum of 1 is "
                "required."
            )
    for name, column in values.items():
        kind = column.dtype.kind
        if kind == "c":
            raise ValueError("Complex data not supported: values are names or integers")
        if kind == "f" and np.isinf(column.to_numpy(dtype=float, na_value=0.0)).any():
            raise ValueError(f"column {name!r} has infinity in it")
        for value in column if kind == "O" else ():
            if isinstance(value, dict | list | set):
                raise TypeError(
                    f"column {name!r} has {value!r} in it: an argument must be a string or a number"
                )
    return values


def names_of(rows) -> np.ndarray | None:
    """The names of the columns, where all are text; None where rows have no such names."""
    names = list(getattr(rows, "columns", ()))
    is_text = [isinstance(name, str) for name in names]
    if any(is_text) and not all(is_text):
        raise TypeError(f"{NAME} takes names of columns that are all text, or none: got {names}")
    return np.array(names, dtype=object) if any(is_text) else None


def check_names(rows, n_columns: int, n_fitted: int, fitted: np.ndarray | None) -> None:
    """Raise ValueError unless new ``rows`` have the names ``fitted``; warn where one has none."""
    found = names_of(rows)
    if found is not None and fitted is not None and list(found) != list(fitted):
        lines = ["The feature names should match those that were passed during fit."]
        unseen, absent = sorted(set(found) - set(fitted)), sorted(set(fitted) - set(found))
        for words, names in (
            ("Feature names unseen at fit time:", unseen),
            ("Feature names seen at fit time, yet now missing:", absent),
        ):
            lines += [words, *(f"- {name}" for name in names)] if names else []
        if not unseen and not absent:
            lines.append("Feature names must be in the same order as they were in fit.")
        raise ValueError("\n".join([*lines, ""]))
    if n_columns != n_fitted:
        raise ValueError(
            f"X has {n_columns} features, but {NAME} is expecting {n_fitted} features as input"
        )
    if (found is None) != (fitted is None):
        has, own = ("does not have valid", "with") if found is None else ("has", "without")
        words = f"X {has} feature names, but {NAME} was fitted {own} feature names"
        warnings.warn(words, stacklevel=4)


def counts_of(sample_weight, n: int) -> np.ndarray:
    """How many cases each of ``n`` rows stands for, (n,): integers from 0; 1 for None."""
    if sample_weight is None:
        return np.ones(n, dtype=np.int64)
    weights = np.asarray(sample_weight, dtype=float)
    weights = np.full(n, weights) if weights.ndim == 0 else weights
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: it must have one number for each of {n} rows"
        )
    counts = np.isfinite(weights) & (weights >= 0) & (weights == np.floor(weights))
    if not counts.all():
        raise ValueError("sample_weight must be counts of cases: integers from 0")
    if weights.sum() > MAX_COUNT:
        raise ValueError(f"sample_weight sums to {weights.sum():g}: at most 2^53 cases are counted")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: at least one case is needed")
    return weights.astype(np.int64)
