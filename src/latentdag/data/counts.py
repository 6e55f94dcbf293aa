"""Cases and how often each occurs, with the checks on data that every score relies on.

Users give cases as an (n, J) array in which nan, None or pandas.NA stands for a value that was not
observed. Inside the package a case is a row of *codes*: integers from 0, and MISSING.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from numbers import Real

import numpy as np

from latentdag.engine.streams import generator
from latentdag.model.structures import Family

MISSING = -1  # the code of a value that was not observed
MAX_CASES = 10**7  # that are held one by one
MAX_COUNT = 2**53  # cases in all: counts are exact as doubles


@dataclass(frozen=True, eq=False)
class Counts:
    """The different cases that occur and how often each does: ``patterns`` (N, J) are codes,
    MISSING for a value that was not observed, all different and in lexicographic order; ``numbers``
    (N,) are integers from 1. The cost of a score that rests on these alone does not grow with n.
    ``cardinalities`` (J,), if known, are those that the codes have been checked against.
    """

    patterns: np.ndarray
    numbers: np.ndarray
    cardinalities: tuple[int, ...] | None = None

    @classmethod
    def of(
        cls,
        codes: np.ndarray,
        numbers: np.ndarray | None = None,
        cardinalities: tuple[int, ...] | None = None,
    ) -> Counts:
        """The counts of the rows of ``codes`` (m, J), each of which stands for one case, or for one
        of ``numbers`` (m,); rows that stand for none are left out.
        """
        keys = _keys(codes)
        first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
        total = np.zeros(len(first), dtype=np.int64)
        np.add.at(total, place.reshape(-1), 1 if numbers is None else numbers)
        occur = total > 0
        return cls(codes[first[occur]], total[occur], cardinalities)

    @classmethod
    def of_table(cls, table: np.ndarray) -> Counts:
        """The counts of a ``table`` of integers from 0 with one axis for each observed variable:
        the entry at [y1, ..., yJ] says how many cases have these codes. Entries of 0 make no
        pattern, and ``cardinalities`` stays None. Nothing is checked.
        """
        patterns = np.argwhere(table)
        return cls(patterns, table[tuple(patterns.T)].astype(np.int64))

    @cached_property
    def n(self) -> int:
        """The number of cases."""
        return int(self.numbers.sum())

    @property
    def has_missing(self) -> bool:
        return bool((self.patterns == MISSING).any())

    def margins(self, cardinalities: Sequence[int]) -> list[np.ndarray]:
        """How many cases have each value of each observed variable, (K_j,) for each, K_j its number
        of values in ``cardinalities``; cases where it is missing are not counted.
        """
        return [
            np.bincount(values[seen], self.numbers[seen], minlength=k)
            for values, k in zip(self.patterns.T, cardinalities, strict=True)
            for seen in [values != MISSING]
        ]

    def one_by_one(self) -> np.ndarray:
        """The codes of every case, (n, J), in a random order, the same in every run. Raises
        ValueError above MAX_CASES.
        """
        if self.n > MAX_CASES:
            raise ValueError(
                f"{self.n:,} cases cannot be taken one by one; at most {MAX_CASES:,} are supported"
            )
        codes = self.patterns.repeat(self.numbers, axis=0)
        return generator(0, "order of the cases").permutation(codes)


def places(codes: np.ndarray, patterns: np.ndarray) -> np.ndarray:
    """The index among ``patterns`` (N, J), all different and in lexicographic order, of each row of
    ``codes`` (m, J), (m,); each row must be one of them.
    """
    both = np.concatenate([patterns, codes])
    return np.unique(_keys(both), axis=0, return_inverse=True)[1].reshape(-1)[len(patterns) :]


def _keys(codes: np.ndarray) -> np.ndarray:
    """What sorts as the rows of ``codes`` (m, J) do: an integer for each where 64 bits suffice."""
    sizes = (codes.max(axis=0, initial=0) + 2).tolist()
    if prod(sizes) >= 2**63:
        return codes
    keys = np.zeros(len(codes), dtype=np.int64)
    for values, size in zip(codes.T, sizes, strict=True):
        keys = keys * size + values
    return keys


def check_cases(cases, family: Family) -> np.ndarray | Counts:
    """The codes (n, J) of ``cases``, an array (n, J) of integers from 0 with nan, None or pandas.NA
    where a value is missing; or the checked `Counts` where they are such. Raises ValueError that,
    for an array, names the first row (from 0) and column that is not valid for the ``family``.
    """
    if isinstance(cases, Counts):
        codes = check_codes(cases.patterns, family)
        numbers = np.asarray(cases.numbers)
        if numbers.shape != (len(cases.patterns),) or numbers.dtype.kind not in "iu":
            raise ValueError("the numbers of Counts must be integers, one for each pattern")
        if numbers.min() < 1 or sum(numbers.tolist()) > MAX_COUNT:
            raise ValueError("the numbers of Counts must be from 1, and at most 2^53 in all")
        return Counts.of(codes, numbers, family.observed)
    raw = np.asarray(cases)
    if raw.ndim == 0:
        raise ValueError(
            f"cases must be an array of shape (n, J), got {type(cases).__name__}; those of a Table "
            "are its .counts"
        )
    if raw.dtype == object:
        raw = _numeric(raw)
    missing = np.isnan(raw) if raw.dtype.kind == "f" else False
    return _checked(raw, missing, family)


def check_codes(codes, family: Family) -> np.ndarray:
    """``codes`` as an (n, J) integer array, with MISSING. Raises ValueError for another shape or
    type, and naming the first row (from 0) and column that is not valid for the ``family``.
    """
    raw = np.asarray(codes)
    return _checked(raw, raw == MISSING, family)


def cell_counts(codes, family: Family) -> Counts:
    """How often each different row of the ``codes`` (n, J) occurs. Raises ValueError as
    `check_codes` does where they are not valid for the ``family``.
    """
    return Counts.of(check_codes(codes, family), cardinalities=family.observed)


def _checked(raw: np.ndarray, missing: np.ndarray | bool, family: Family) -> np.ndarray:
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
        wrong = ~(missing | ((raw >= 0) & (raw < cardinalities) & (raw == np.floor(raw))))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"cases row {row}, column y{column + 1}: {raw[row, column]} is not an integer from 0 "
            f"to {cardinalities[column] - 1}"
        )
    return np.where(missing, MISSING, raw).astype(np.int64)


def _numeric(raw: np.ndarray) -> np.ndarray:
    """An array of Python objects as one of numbers, nan where they are missing."""
    numbers = np.empty(raw.shape)
    for place, value in np.ndenumerate(raw):
        if is_missing(value):
            numbers[place] = np.nan
        elif isinstance(value, Real) and not isinstance(value, bool | np.bool_):
            numbers[place] = value
        else:
            raise ValueError(
                f"cases must be integers counted from 0, got {value!r} in row {place[0]}; "
                "read_table takes values with names, of a file or a DataFrame"
            )
    return numbers


def is_missing(value) -> bool:
    """Whether a value of a user's stands for one that was not observed: None, nan or pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
