"""Cases from a table of one's own: a CSV with one column per observed variable, and perhaps one of
counts.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latentdag.counts import check_cells
from latentdag.streams import generator
from latentdag.structures import Family

MISSING = ("", "na", "n/a", "nan", "null", "none", "?", ".")


@dataclass(frozen=True)
class Table:
    """Observed variables by name, the values of each in the order of their codes, and the coded
    cases, (n, J).

    The cases stand in a random order, the same in every run: a table of counts is sorted, and the
    reference evidence, which takes one case after the other, should not see the cells one by one.
    """

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cases: np.ndarray

    @property
    def cardinalities(self) -> tuple[int, ...]:
        return tuple(map(len, self.levels))

    def family(self, hidden: Sequence[int]) -> Family:
        """The family of these observed variables and hidden ones of the given cardinalities."""
        return Family(tuple(hidden), self.cardinalities)


def read_table(
    path: str | Path, count: str | None = None, levels: Mapping[str, Sequence | int] | None = None
) -> Table:
    """Read cases from a CSV file with a header line; values are strings or integers, and none may
    be missing.

    ``count`` names the column that says how often a line stands for a case; without it each line is
    one case. ``levels`` may give the values of some columns in their order, or their number K for
    the integers 0 to K - 1; those of the others are found in the data and sorted. Raises ValueError
    naming the file, and the row (from 1, below the header) and column at fault.
    """
    names, rows = _rows(Path(path))
    numbers = _numbers(path, names, rows, count)
    columns = [i for i, name in enumerate(names) if name != count]
    observed = tuple(names[i] for i in columns)
    given = {} if levels is None else dict(levels)
    for name in given:
        if name not in observed:
            raise ValueError(
                f"{path}: levels are given for {name!r}, which is not a column; these are "
                f"{', '.join(observed)}"
            )
    for r, row in enumerate(rows):
        for i in columns:
            if row[i].lower() in MISSING:
                raise ValueError(
                    f"{_place(path, r, names[i])}: a value is missing; every case needs a value "
                    "of every variable"
                )
    found = tuple(
        _levels(path, names[i], [row[i] for row in rows], given.get(names[i])) for i in columns
    )
    check_cells(dict(zip(observed, map(len, found), strict=True)))
    codes = np.array(
        [[known.index(row[i]) for i, known in zip(columns, found, strict=True)] for row in rows],
        dtype=np.int64,
    ).repeat(numbers, axis=0)
    if len(codes) == 0:
        raise ValueError(f"{path}: all counts are 0: at least one case is needed")
    return Table(observed, found, generator(0, "order of the cases").permutation(codes))


def _place(path, row: int, column: str) -> str:
    return f"{path}: row {row + 1} (line {row + 2} of the file), column {column!r}"


def _rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Names of the columns and the values below them, stripped of blanks."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        lines = [[value.strip() for value in line] for line in csv.reader(text.splitlines())]
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: cannot be read as a CSV file in UTF-8: {error}") from None
    while lines and not any(lines[-1]):
        lines.pop()
    if len(lines) < 2:
        raise ValueError(f"{path}: a header line and at least one case are needed")
    names, rows = lines[0], lines[1:]
    for separator, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and separator in names[0]:
            raise ValueError(f"{path}: the columns are separated by {word}; commas are needed")
    if "" in names or len(set(names)) < len(names):
        raise ValueError(
            f"{path}: every column needs a name of its own, got {', '.join(map(repr, names))}"
        )
    for r, row in enumerate(rows):
        if len(row) != len(names):
            raise ValueError(
                f"{path}: row {r + 1} (line {r + 2} of the file) has {len(row)} values for "
                f"{len(names)} columns"
            )
    return names, rows


def _numbers(path, names: list[str], rows: list[list[str]], count: str | None) -> list[int]:
    """How often each row stands for a case."""
    if count is None:
        return [1] * len(rows)
    if count not in names:
        raise ValueError(
            f"{path}: there is no column {count!r} of counts; the columns are {', '.join(names)}"
        )
    if len(names) < 2:
        raise ValueError(f"{path}: there is no column beside the counts")
    column = names.index(count)
    for r, row in enumerate(rows):
        if not row[column].isdecimal():
            raise ValueError(
                f"{_place(path, r, count)}: {row[column]!r} is not a count (an integer from 0)"
            )
    return [int(row[column]) for row in rows]


def _levels(path, name: str, values: list[str], given: Sequence | int | None) -> tuple[str, ...]:
    if given is None:
        found = set(values)
        if len(found) < 2:
            raise ValueError(
                f"{path}: column {name!r} has the one value {values[0]!r}: leave it out, or give "
                "its levels"
            )
        numeric = all(v.lstrip("-").isdecimal() for v in found)
        return tuple(sorted(found, key=int if numeric else str))
    known = tuple(map(str, range(given) if isinstance(given, int) else given))
    if len(known) < 2 or len(set(known)) < len(known):
        raise ValueError(
            f"{path}: the levels of {name!r} must be at least two different values, got "
            f"{', '.join(known)}"
        )
    for r, value in enumerate(values):
        if value not in known:
            raise ValueError(
                f"{_place(path, r, name)}: {value!r} is not one of its levels {', '.join(known)}"
            )
    return known
