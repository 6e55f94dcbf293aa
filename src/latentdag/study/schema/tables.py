"""Write, read and join the tables that `latentdag.study.schema.columns` declares: CSV with one
header line and empty cells for what does not apply, or, where the path ends in .parquet, the same
columns in that format. Writing takes plain mappings too, so that a job need not load pandas.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latentdag.engine.files import atomic_write
from latentdag.study.schema.columns import COLUMNS, TABLES, Column, Kind, TableSchema

if TYPE_CHECKING:
    import pandas as pd


def write(path: str | Path, table: str, rows: Iterable[Mapping[str, Any]] | pd.DataFrame) -> None:
    """Write ``rows``, mappings of values by column or a DataFrame, to the file ``path`` as the
    table named ``table``, with `atomic_write`: as Parquet where ``path`` ends in .parquet, else as
    CSV. Raises ValueError naming the file and the column when a row lacks a value, has one too many
    or one of another kind; OSError as `atomic_write`.
    """
    if str(path).endswith(".parquet"):
        import pandas as pd

        rows = rows if hasattr(rows, "to_dict") else [*rows]
        columns = None if len(rows) else TABLES[table].columns
        _write_parquet(path, TABLES[table], [pd.DataFrame(rows, columns=columns)])
        return
    if hasattr(rows, "to_dict"):
        rows = rows.astype(object).where(rows.notna(), None).to_dict("records")
    rows = iter(rows)
    first = list(islice(rows, 1))
    names = TABLES[table].columns_of(*first or [()])
    columns = [TABLES[table].column(name) for name in names]
    with atomic_write(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in chain(first, rows):
            if row.keys() != set(names):
                _refuse(f"{path}: a row of the table {table}", row, names)
            writer.writerow([_text(path, column, row[column.name]) for column in columns])


def read(path: str | Path, table: str) -> pd.DataFrame:
    """The table named ``table`` in the file ``path``, CSV or Parquet, as a DataFrame: int64 for an
    INTEGER, float64 (nan where empty) for a COUNT or a NUMBER, boolean for a FLAG, str for a TEXT.
    Raises ValueError naming the file and the column when its columns are not those of ``table``, or
    a cell is of another kind.
    """
    import pandas as pd  # half a second to import: only where a table is read

    if str(path).endswith(".parquet"):
        frame = pd.read_parquet(path)
        _check_header(path, TABLES[table], frame.columns)
        return frame
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    except pd.errors.ParserError as error:
        raise ValueError(f"{path} is not a table: {error}") from error
    except pd.errors.EmptyDataError as error:
        raise ValueError(f"{path} is empty: a table has a header at least") from error
    _check_header(path, TABLES[table], frame.columns)
    columns = map(TABLES[table].column, frame)
    return pd.DataFrame({c.name: _values(path, c, frame[c.name]) for c in columns})


def join(
    path: str | Path, table: str, parts: Iterable[str | Path], methods: Sequence[str] = ()
) -> int:
    """Join ``parts``, paths of CSV files of the table named ``table``, to one at ``path``, cells as
    they are, rows sorted as `TableSchema.order` says, methods in the order of ``methods``. Returns
    the number of rows. Raises ValueError and OSError as `read` and `write` do.
    """
    rows = []
    for part in parts:
        with Path(part).open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            _check_header(part, TABLES[table], reader.fieldnames or ())
            rows += reader
    rows.sort(key=_place_of(TABLES[table], methods))
    with atomic_write(path) as partial, partial.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, TABLES[table].columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return len(rows)


def stack(path: str | Path, table: str, parts: Iterable[str | Path]) -> int:
    """Put ``parts``, paths of files of the table named ``table``, under each other, one at a time
    in memory, as a Parquet file at ``path``. Returns the number of rows. Raises ValueError and
    OSError as `read` and `write` do.
    """
    return _write_parquet(path, TABLES[table], (read(part, table) for part in parts))


def _write_parquet(path: str | Path, table: TableSchema, frames: Iterable[pd.DataFrame]) -> int:
    """Write ``frames`` under each other, with the types that `read` gives; the number of rows."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    kinds = ((name, table.column(name).kind) for name in table.columns)
    schema = pa.schema([(name, pa.type_for_alias(kind.dtype)) for name, kind in kinds])
    floats = [field.name for field in schema if pa.types.is_floating(field.type)]
    how = {"compression": "zstd", "use_byte_stream_split": floats}  # a fifth smaller
    how["use_dictionary"] = [name for name in table.columns if name not in floats]
    n_rows = 0
    with atomic_write(path) as partial, ParquetWriter(partial, schema, **how) as writer:
        for rows in frames:
            _refuse(f"{path}: a row of the table {table.name}", rows.columns, table.columns)
            rows = rows[list(table.columns)]
            writer.write_table(pa.Table.from_pandas(rows, schema, preserve_index=False))
            n_rows += len(rows)
    return n_rows


def columns_markdown() -> str:
    """A table in Markdown with a row for each of `COLUMNS`, in their order: name, unit and meaning,
    and after it the meanings that the column has in single tables instead.
    """
    lines = ["| column | unit | meaning |", "| --- | --- | --- |"]
    for name, column in COLUMNS.items():
        elsewhere = [
            f". In `{table.name}`: {redefined.meaning}"
            for table in TABLES.values()
            for redefined in table.redefined
            if redefined.name == name
        ]
        lines.append(f"| `{name}` | {column.unit} | {column.meaning}{''.join(elsewhere)} |")
    return "\n".join(lines)


def _check_header(path: str | Path, table: TableSchema, header: Sequence[str]) -> None:
    expected = table.columns_of(header)
    if tuple(header) == expected:
        return
    _refuse(f"{path} is no {table.name} table: it", header, expected)
    raise ValueError(
        f"{path} is no {table.name} table: its columns are {', '.join(header)}, and must be "
        f"{', '.join(expected)}"
    )


def _refuse(what: str, header: Iterable[str], expected: Iterable[str]) -> None:
    """ValueError that names the columns which lack, or are too many; none when neither is."""
    header, expected = list(header), list(expected)
    lacking = [name for name in expected if name not in header]
    unknown = [name for name in header if name not in expected]
    words = [f"lacks the column {name}" for name in lacking]
    words += [f"has the unknown column {name}" for name in unknown]
    if words:
        raise ValueError(f"{what} {' and '.join(words)}")


def _text(path: str | Path, column: Column, value: Any) -> str:
    """A cell as it is written."""
    if column.kind is Kind.TEXT:
        if isinstance(value, str):
            return value
    elif value is None or value != value:  # nan
        if column.kind is not Kind.INTEGER:
            return ""
    elif column.kind is Kind.FLAG:
        if value in (True, False):
            return str(bool(value)).lower()
    elif isinstance(value, str):
        pass
    elif column.kind is Kind.NUMBER:
        return column.form.format(float(value))
    elif int(value) == value:
        return str(int(value))
    raise ValueError(f"{path}: column {column.name}: {value!r} is no {column.kind.words}")


def _values(path: str | Path, column: Column, cells: pd.Series) -> pd.Series:
    """A column as it is read, from cells of text."""
    import pandas as pd

    if column.kind is Kind.TEXT:
        return cells
    may_be_empty = column.kind is not Kind.INTEGER
    values = []
    for i, cell in enumerate(cells):
        try:
            values.append(None if may_be_empty and cell == "" else column.kind.read(cell))
        except (KeyError, ValueError) as error:
            raise ValueError(
                f"{path}: row {i + 1}, column {column.name}: {cell!r} is no {column.kind.words}"
            ) from error
    return pd.Series(values, index=cells.index, dtype=column.kind.dtype)


def _place_of(table: TableSchema, methods: Sequence[str]) -> Callable[[Mapping[str, str]], list]:
    """The sort key of a row of text cells."""
    keys = {name: table.column(name).kind.read for name in table.order}
    keys |= {"method": methods.index} if "method" in keys else {}
    return lambda row: [key(row[name]) for name, key in keys.items()]
