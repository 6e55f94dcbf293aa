"""Every column and every table of a study, as ``tables.yaml`` declares them once, in the terms of
Frictionless Table Schema: for `latentdag.study.schema.tables`, pages, data package and docs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from latentdag.data.tables import marked


class Kind(Enum):
    """What a column's cells hold: its type in ``tables.yaml``, that of NumPy, words for it, and
    what reads a cell. COUNT, NUMBER and FLAG may be empty: nan, or None.
    """

    TEXT = "string", "str", "text", str
    INTEGER = "integer", "int64", "integer", int
    COUNT = "count", "float64", "integer", lambda cell: float(int(cell))  # from 0
    NUMBER = "number", "float64", "number", float
    FLAG = "boolean", "boolean", "true or false", {"true": True, "false": False}.__getitem__

    def __init__(self, declared: str, dtype: str, words: str, read: Callable[[str], Any]):
        self.declared, self.dtype, self.words, self.read = declared, dtype, words, read


KINDS = {kind.declared: kind for kind in Kind}
TIMES = ("s", "ms", "µs")  # units


@dataclass(frozen=True)
class Column:
    """A column of the tables."""

    name: str
    kind: Kind
    meaning: str  # Markdown, without a full stop at its end
    unit: str = ""
    form: str = "{:.6f}"  # of a NUMBER
    error: str = ""  # the column of its standard error, in tables that have it
    diagnostic: bool = False  # whether it tells the course of a fit, which last digits may change

    @classmethod
    def of(cls, name: str, field: Mapping[str, Any]) -> Column:
        """A `Column` called ``name``, from ``field``, its entry in `tables.yaml`: a mapping with
        `type` and `description`, and perhaps `unit`, `printed`, `error` and `diagnostic`.
        """
        form = f"{{:{field.get('printed', '.6f')}}}"
        error, diagnostic = field.get("error", ""), field.get("diagnostic", False)
        kind, unit = KINDS[field["type"]], field.get("unit", "")
        return cls(name, kind, field["description"], unit, form, error, diagnostic)

    @property
    def tells_time(self) -> bool:
        """Whether the column holds running times, which no run repeats."""
        return self.unit in TIMES

    def field(self) -> dict[str, Any]:
        """A dict, the column's field descriptor in Frictionless Table Schema: its name, type,
        description, perhaps its unit, and for an INTEGER that it must not be empty.
        """
        kind = "integer" if self.kind is Kind.COUNT else self.kind.declared
        unit = {"unit": self.unit} if self.unit else {}
        required = {"constraints": {"required": True}} if self.kind is Kind.INTEGER else {}
        return {"name": self.name, "type": kind, "description": self.meaning} | unit | required


@dataclass(frozen=True)
class TableSchema:
    """A table of a study."""

    name: str
    columns: tuple[str, ...]
    description: str  # one sentence
    order: tuple[str, ...] = ()  # by which joined rows are sorted, methods as registered
    own_data: tuple[str, ...] = ()  # further columns, at the end, in a study of own data alone
    not_own_data: tuple[str, ...] = ()  # columns that it does not have there
    optional: tuple[str, ...] = ()  # further columns, at the end, that a study has or has not
    redefined: tuple[Column, ...] = ()  # columns that hold something else than in other tables
    by_variable: str = ""  # meaning of the columns at its end for each observed variable, if any
    # which rows follow from what samplers estimate: "all", the "rows" of Monte Carlo methods, or ""
    estimates: str = ""

    @property
    def columns_of_own_data(self) -> tuple[str, ...]:
        """A tuple of the names of this table's columns, in order, in a study of a user's data."""
        kept = tuple(name for name in self.columns if name not in self.not_own_data)
        return kept + self.own_data

    def columns_of(self, header: Collection[str]) -> tuple[str, ...]:
        """A tuple of the names of the columns, in order, that this table must have in a file with
        the column names ``header``: those in a study of a user's data, and the optional ones, where
        ``header`` has one of them; and after them all others of ``header``, where the table has
        columns for observed variables.
        """
        is_of_own_data = not set(self.own_data).isdisjoint(header)
        declared = self.columns_of_own_data if is_of_own_data else self.columns
        if not set(self.optional).isdisjoint(header):
            declared += self.optional
        if not self.by_variable:
            return declared
        return declared + tuple(name for name in header if name not in declared)

    def variable_columns(self, names: Sequence[str]) -> list[str]:
        """A list of the names of the columns for the observed variables ``names``: these names,
        with " (variable)" after one that another column of the table has.
        """
        return marked(names, self.columns)

    def column(self, name: str) -> Column:
        """The `Column` called ``name`` as it is in this table: as the table redefines it, or that
        of `COLUMNS`; where the table has columns for observed variables, a TEXT column for any name
        that is not among its `columns`. Raises KeyError for any other name.
        """
        if self.by_variable and name not in self.columns:
            return Column(name, Kind.TEXT, self.by_variable)
        redefined = {column.name: column for column in self.redefined}
        return redefined[name] if name in redefined else COLUMNS[name]


def _declared() -> tuple[dict[str, Column], dict[str, TableSchema]]:
    text = Path(__file__).with_name("tables.yaml").read_text(encoding="utf-8")
    # the parser that is written in C, where it is there: a job starts 0.1 s earlier
    declared = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    fields, tables = declared["fields"], {}
    for name, about in declared["tables"].items():
        about |= {key: tuple(value) for key, value in about.items() if isinstance(value, list)}
        about["redefined"] = tuple(
            Column.of(column, fields.get(column, {}) | changed)
            for column, changed in about.get("redefined", {}).items()
        )
        tables[name] = TableSchema(name, about.pop("fields"), **about)
    return {name: Column.of(name, field) for name, field in fields.items()}, tables


COLUMNS, TABLES = _declared()
