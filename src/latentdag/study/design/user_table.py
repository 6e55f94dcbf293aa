"""A user's table, as the settings under ``data`` describe it."""

from collections.abc import Mapping

from latentdag import Table, read_table


def user_table(data: Mapping) -> Table:
    """The `Table` of the file that the settings ``data`` describe, without the column `beside`.
    Raises ValueError saying what is wrong with the table or with that column; or where `columns` is
    None and a column looks like an identifier, or like counts of the lines.
    """
    beside, columns = data["beside"], data["columns"]
    if beside is not None:
        columns = columns or [name for name in _read(data, None).names if name != beside]
        if beside in columns:
            raise ValueError(
                f"beside: {beside!r} is one of the columns, which are the variables of the model; "
                "it must be another"
            )
        _read(data, [*columns, beside])
    table = _read(data, columns)
    if data["columns"] is None:
        _refuse_doubtful(table if beside is None else _read(data, None), beside)
    return table


def _refuse_doubtful(table: Table, beside: str | None) -> None:
    """Raise ValueError where a column that nobody named is hardly an observed variable."""
    for name, kind in table.doubtful.items():
        if name == beside:
            continue
        why = f"looks like counts of the lines: write count: {name}"
        if kind == "identifier":
            others = ", ".join(n for n in table.names if n not in {*table.doubtful, beside})
            why = (
                "has a different value on nearly every line, as an identifier does: write columns: "
                f"[{others}]"
            )
        raise ValueError(f"column {name!r} {why}; or list it in columns, to keep it as a variable")


def table_with_beside(data: Mapping) -> Table:
    """The `Table` of `user_table` with the column that `beside` in ``data`` names as its last.
    Raises ValueError as `user_table` does.
    """
    return _read(data, [*user_table(data).names, data["beside"]])


def _read(data: Mapping, columns: list[str] | None) -> Table:
    names = ("count", "levels", "missing")
    return read_table(data["file"], columns=columns, **{name: data[name] for name in names})
