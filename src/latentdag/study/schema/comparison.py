"""Whether a run reproduces a published one: each table of the published run next to the run's.

Cells are compared as they are printed. Where they differ, ``tables.yaml`` says what the difference
may mean: times are left out; the last printed digit and the course of a fit depend on the
processor; and where samplers took another course, an estimate may differ within its standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from latentdag.engine.significance import REPRODUCED
from latentdag.scores import SPECS
from latentdag.study.schema.columns import TABLES, Column, Kind, TableSchema

if TYPE_CHECKING:
    import pandas as pd

DIGITS = 1.5  # units of the last printed digit: one, and the error of floating point


class Verdict(IntEnum):
    """What a comparison says, from the best to the worst."""

    SAME = 0
    ROUNDING = 1
    MONTE_CARLO = 2
    NOT_REPRODUCED = 3


WORDS = {
    Verdict.SAME: "the same to the byte",
    Verdict.ROUNDING: "within rounding",
    Verdict.MONTE_CARLO: "within Monte Carlo error",
    Verdict.NOT_REPRODUCED: "not reproduced",
}
MEANING = {
    Verdict.SAME: "every number is as published; times are left out",
    Verdict.ROUNDING: "no number differs by more than its last printed digit, 1e-6 nats of a score",
    Verdict.MONTE_CARLO: (
        f"no estimate differs by more than {REPRODUCED:g} standard errors of the difference, and "
        "no deterministic number by more than its last printed digit"
    ),
}


@dataclass
class Comparison:
    """A table of the published run next to the run's."""

    table: str
    rows: int = 0
    published_rows: int = 0
    equal_rows: int = 0
    different_cells: int = 0
    largest_difference: float = np.nan  # in ``unit``, of ``column``
    unit: str = ""
    column: str = ""
    standard_errors: float = np.nan  # the largest difference of an estimate, in its standard errors
    verdict: Verdict = Verdict.SAME
    first_place: str = ""  # of the verdict
    has_estimate: bool = False  # whether an estimate differs, within its standard error
    derived: str = ""  # the first cell that differs and has no standard error, but needs estimates

    def worsen(self, verdict: Verdict, place: str) -> None:
        """Where ``verdict`` is worse than the present one, set the comparison's verdict to it, and
        `first_place` to ``place``, words for what differs; else change nothing.
        """
        if verdict > self.verdict:
            self.verdict, self.first_place = verdict, place


def compare(run: str | Path, published: str | Path) -> list[Comparison]:
    """A list of a `Comparison` for each table in the folder ``published``, sorted by name, with the
    table in the file of the same name in the folder ``run``.

    A run with some of the published draws alone, such as a part of a population, is compared in
    `structures` and the tables that have a row for each draw. Raises ValueError where ``published``
    has no table, OSError where it is no folder.
    """
    run, published = Path(run), Path(published)
    paths = sorted(path for path in published.iterdir() if path.stem in TABLES)
    if not paths:
        raise ValueError(f"{published} has no table")
    draws = _draws_of_part(run, published)
    comparisons = [
        comparison
        for path in paths
        if (comparison := _compare_table(run / path.name, path, draws)) is not None
    ]
    # a number without a standard error may differ only where an estimate does
    if not any(c.has_estimate for c in comparisons):
        for comparison in comparisons:
            if comparison.derived:
                comparison.worsen(Verdict.NOT_REPRODUCED, comparison.derived)
    for comparison in comparisons:
        if comparison.derived:
            comparison.worsen(Verdict.MONTE_CARLO, comparison.derived)
    return comparisons


def frame(comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """A DataFrame with a row for each of ``comparisons``, and the fields of `Comparison` up to
    `first_place` as columns; differences and verdicts are text, "" for nan.
    """
    import pandas as pd

    table = pd.DataFrame(list(comparisons)).drop(columns=["has_estimate", "derived"])
    for name in ("largest_difference", "standard_errors"):
        table[name] = ["" if np.isnan(x) else f"{x:.3g}" for x in table[name]]
    return table.assign(verdict=[WORDS[c.verdict] for c in comparisons])


def sentence(comparisons: Sequence[Comparison]) -> str:
    """A sentence, text, with the verdict on a run: that of the worst of its ``comparisons``, of
    which there must be one at least.
    """
    worst = max(comparisons, key=lambda c: c.verdict)
    words = WORDS[worst.verdict]
    rest = MEANING.get(worst.verdict, f"{worst.table}, {worst.first_place}")
    return f"{words[0].upper()}{words[1:]}: {rest}."


def _draws_of_part(run: Path, published: Path) -> set[int] | None:
    """The draws of a run that has fewer than the published one; None where it has the same."""
    paths = [folder / "design.csv" for folder in (run, published)]
    if not all(path.exists() for path in paths):
        return None
    draws, every = (set(_read(path)["draw"].astype(int)) for path in paths)
    return draws if draws < every else None


def _read(path: Path) -> pd.DataFrame:
    """A table with its cells as they are written."""
    import pandas as pd

    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _compare_table(path: Path, published: Path, draws: set[int] | None) -> Comparison | None:
    """The comparison of one table; None for statistics over more draws than the run has."""
    schema = TABLES[published.stem]
    expected = _read(published)
    if draws is not None:
        if "draw" in expected:
            expected = expected[expected["draw"].astype(int).isin(draws)].reset_index(drop=True)
        elif schema.name != "structures":
            return None
    result = Comparison(schema.name, published_rows=len(expected))
    if not path.exists():
        result.worsen(Verdict.NOT_REPRODUCED, "the run has no such table")
        return result
    table = _read(path)
    result.rows = len(table)
    if list(table.columns) != list(expected.columns):
        result.worsen(Verdict.NOT_REPRODUCED, "its columns are others")
    elif len(table) != len(expected):
        result.worsen(Verdict.NOT_REPRODUCED, f"{len(table)} rows, published {len(expected)}")
    else:
        _compare_cells(result, schema, table, expected)
    return result


def _compare_cells(
    result: Comparison, schema: TableSchema, table: pd.DataFrame, expected: pd.DataFrame
) -> None:
    columns = [c for c in map(schema.column, table.columns) if not c.tells_time]
    names = [column.name for column in columns]
    of_run, of_published = table[names], expected[names]
    both_empty = of_run.isna() & of_published.isna()
    different = ((of_run != of_published) & ~both_empty).to_numpy(bool)
    result.equal_rows = int((~different.any(axis=1)).sum())
    result.different_cells = int(different.sum())
    for i, j in np.argwhere(different):
        _judge(result, schema, table, expected, i, columns[j])


def _judge(
    result: Comparison,
    schema: TableSchema,
    table: pd.DataFrame,
    expected: pd.DataFrame,
    i: int,
    column: Column,
) -> None:
    """Add a cell that differs, in row i of a column, to the comparison of its table."""
    new, old = table.at[i, column.name], expected.at[i, column.name]
    keys = (f"{name} {table.at[i, name]}" for name in _keys(schema, table.columns))
    place = f"row {i + 1} ({', '.join(keys)}), {column.name}: {new!s}, published {old!s}"
    difference = np.nan
    if column.kind in (Kind.INTEGER, Kind.COUNT, Kind.NUMBER):
        difference = abs(_number(new) - _number(old))
        if np.isfinite(difference) and not difference <= result.largest_difference:
            result.largest_difference = float(difference)
            result.column, result.unit = column.name, column.unit
    if column.diagnostic or (
        column.kind is Kind.NUMBER and difference <= _last_digit(column, _number(old))
    ):
        result.worsen(Verdict.ROUNDING, place)
        return
    if not _follows_from_estimates(schema, table, i):
        result.worsen(Verdict.NOT_REPRODUCED, place)
        return
    if column.error in table:
        both = np.hypot(_number(table.at[i, column.error]), _number(expected.at[i, column.error]))
        if both > 0 and np.isfinite(difference):
            errors = difference / both
            if not errors <= result.standard_errors:
                result.standard_errors = float(errors)
            is_far = errors > REPRODUCED
            result.has_estimate |= not is_far
            result.worsen(Verdict.NOT_REPRODUCED if is_far else Verdict.MONTE_CARLO, place)
            return
    if not result.derived:
        result.derived = place


def _follows_from_estimates(schema: TableSchema, table: pd.DataFrame, i: int) -> bool:
    """Whether the numbers of row i depend on what samplers estimate."""
    if schema.estimates != "rows":
        return schema.estimates == "all"
    spec = SPECS.get(table.at[i, "method"])
    return spec is None or spec.monte_carlo


def _keys(schema: TableSchema, names: Iterable[str]) -> list[str]:
    """The columns that say what a row is about: those before the first number."""
    keys = []
    for name in names:
        if schema.column(name).kind not in (Kind.TEXT, Kind.INTEGER):
            break
        keys.append(name)
    return keys[:6]


def _number(cell: object) -> float:
    return float(cell) if cell not in ("", None) else np.nan


def _last_digit(column: Column, value: float) -> float:
    """The largest difference that a change of the last printed digit makes."""
    digits, kind = int(column.form[3:-2]), column.form[-2]
    size = 1.0 if kind == "f" else 10 * max(abs(value), np.finfo(float).tiny)
    return DIGITS * size * 10.0**-digits
