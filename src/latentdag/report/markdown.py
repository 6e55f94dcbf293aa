"""Markdown, and numbers in words.

Tables are written here and not by a library: tabulate (which pandas uses too) leaves a ``|`` in a
cell as it is, so that a variable's name can break a table; and it pads columns, so that one longer
number changes every line in a comparison of two runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from latentdag.study.schema.words import counted as counted
from latentdag.study.schema.words import joined as joined
from latentdag.study.schema.words import label as label
from latentdag.study.schema.words import listing as listing
from latentdag.study.schema.words import number as number
from latentdag.study.schema.words import parents_of as parents_of
from latentdag.study.schema.words import place as place
from latentdag.study.schema.words import plus_minus as plus_minus
from latentdag.study.schema.words import shared_causes_in_words as shared_causes_in_words

NAMED = 50  # of a list, at most; the rest is counted


def table(header: Sequence, rows: Iterable[Sequence]) -> str:
    """A table in Markdown, of cells as ``str`` gives them; ``|`` and line breaks do no harm."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_cell(value) for value in line) + " |" for line in lines)


def table_of(frame: pd.DataFrame, columns: Mapping[str, Callable[[Any], Any]]) -> str:
    """A table with a row for each of the frame's and a column for each of ``columns``: its heading,
    and its cell, a function of the row as `pandas.DataFrame.itertuples` gives it.
    """
    rows = [[cell(row) for cell in columns.values()] for row in frame.itertuples()]
    return table(list(columns), rows)


def score_table(
    methods: Iterable[str],
    sizes: Sequence[int],
    cell: Callable[[str, int], str],
    last: tuple[str, Mapping[str, Any]] | None = None,
    more: Iterable[Sequence] = (),
) -> str:
    """A table with a row for each score and a column for each size, of ``cell(method, n)``; with
    one more column, its heading and its cells by score, and with ``more`` rows.
    """
    header = ["score", *(f"n = {n}" for n in sizes)]
    rows = [[label(m), *(cell(m, n) for n in sizes)] for m in methods]
    if last is not None:
        header.append(last[0])
        rows = [[*row, last[1].get(m, "")] for m, row in zip(methods, rows, strict=True)]
    return table(header, [*rows, *more])


def _cell(value: Any) -> str:
    return " ".join(str(value).split("\n")).replace("|", "\\|")


def percent(share: float) -> str:
    """A share in per cent; nothing where it is nan."""
    return number(share, ".0%").replace("%", " %")


def share(value: float, low: float, high: float) -> str:
    """A share and its interval, in per cent; nothing where it is nan."""
    if pd.isna(value):
        return ""
    return f"{percent(value)} ({100 * low:.0f} to {100 * high:.0f})"


def place_between(rank: float, low: float, high: float) -> str:
    """A rank, and where Monte Carlo error leaves others, their range."""
    return place(rank) + (f" ({low:g} to {high:g})" if low < high else "")


def some(names: Sequence[str]) -> str:
    """At most NAMED of the names, and how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def listed(names: Sequence[str]) -> str:
    """The names after a colon, nothing when there are none."""
    return f": {some(names)}" if names else ""


def start(n: int | None) -> str:
    """The size from which something holds for good; None is none."""
    return "never" if n is None else str(n)


def pairs(rows: pd.DataFrame, several_draws: bool, text: Callable[[Any], str]) -> list[str]:
    """The structure and size of each row, its draw when there are several, and ``text(row)``."""
    return [
        f"{r.structure} at n = {r.n}{f' of draw {r.draw}' if several_draws else ''}{text(r)}"
        for r in rows.itertuples()
    ]


def settings(config: Mapping) -> str:
    """All settings in one paragraph."""
    return "Settings: " + "; ".join(f"{key} = {value}" for key, value in flat(config)) + "."


def flat(config: Mapping, prefix: str = "") -> list[tuple[str, str]]:
    """Nested keys joined by dots, lists by commas, without those that are None."""
    found = []
    for key, value in config.items():
        if isinstance(value, Mapping):
            found += flat(value, f"{prefix}{key}.")
        elif isinstance(value, list | tuple):
            found.append((f"{prefix}{key}", ", ".join(map(str, value))))
        elif value is not None:
            found.append((f"{prefix}{key}", str(value)))
    return found
