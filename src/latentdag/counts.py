"""Cases to cell counts, with the checks on data that every score relies on."""

from collections.abc import Mapping
from math import prod

import numpy as np

from latentdag.structures import Family

# joint values of the observed variables: tables of counts and of cell probabilities are dense
MAX_CELLS = 10**6


def check_cells(cardinalities: Mapping[str, int]) -> None:
    """Raise ValueError when observed variables, cardinalities by name, have more than MAX_CELLS
    joint values.
    """
    n_cells = prod(cardinalities.values())
    if n_cells > MAX_CELLS:
        each = ", ".join(f"{name} has {k}" for name, k in cardinalities.items())
        raise ValueError(
            f"the observed variables have {n_cells:.3g} joint values ({each}); at most "
            f"{MAX_CELLS:,} are supported, as the table of counts over all of them is kept whole: "
            "leave variables out, or join values"
        )


def check_cases(cases, family: Family) -> np.ndarray:
    """``cases`` as an (n, J) integer array, or ValueError naming the first row (from 0) and column
    that is not valid.
    """
    raw = np.asarray(cases)
    if raw.ndim == 0:
        raise ValueError(
            f"cases must be an array of shape (n, J), got {type(cases).__name__}; those of a Table "
            "are its .cases"
        )
    if raw.ndim != 2 or raw.shape[1] != len(family.observed):
        raise ValueError(
            f"cases must have shape (n, {len(family.observed)}), one column per observed "
            f"variable; got {raw.shape}"
        )
    if len(raw) == 0:
        raise ValueError("cases are empty: at least one is needed")
    if raw.dtype.kind not in "iuf":
        raise ValueError(f"cases must be integers counted from 0, got values of type {raw.dtype}")
    cardinalities = np.array(family.observed)
    with np.errstate(invalid="ignore"):
        wrong = ~((raw >= 0) & (raw < cardinalities) & (raw == np.floor(raw)))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"cases row {row}, column y{column + 1}: {raw[row, column]} is not an integer from 0 "
            f"to {cardinalities[column] - 1}"
        )
    return raw.astype(np.int64)


def cell_counts(cases, family: Family) -> np.ndarray:
    """How often each joint value of the observed variables occurs: a float array of shape
    ``family.observed``.

    Every score depends on the cases through these counts alone, so that its cost does not grow with
    n. Raises ValueError as `check_cases` and `check_cells` do.
    """
    check_cells({f"y{j + 1}": k for j, k in enumerate(family.observed)})
    cells = np.ravel_multi_index(tuple(check_cases(cases, family).T), family.observed)
    return np.bincount(cells, minlength=family.n_cells).astype(float).reshape(family.observed)
