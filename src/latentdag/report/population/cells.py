"""What the sections share: tables with a row for each score and a column for each size."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from latentdag.report.markdown import score_table
from latentdag.study.one_draw.sizes import some_sizes
from latentdag.study.paper.claims_held import SIZES
from latentdag.study.schema.frames import present

KINDS = {"structure": "By structure:", "class": "By class of equal distributions:"}


def shown_sizes(sizes: Iterable[int]) -> list[int]:
    """Some of the sizes, and the paper's where they are among them."""
    sizes = {int(n) for n in sizes}
    return sorted({*some_sizes(sizes), *(sizes & set(SIZES.values()))})


def each_kind(frame: pd.DataFrame, write: Callable[[pd.DataFrame], str]) -> list[str]:
    """What ``write`` makes of the rows by structure, and of those by class, each under its name;
    nothing where it makes nothing.
    """
    text = []
    for kind, name in KINDS.items():
        rows = frame[frame["by"] == kind]
        written = write(rows) if len(rows) else ""
        if written:
            text += [name, written]
    return text


def size_table(frame: pd.DataFrame, cell: Callable[[Any], str]) -> str:
    """A table of ``cell(row)`` with a row for each method and a column for each of `shown_sizes`;
    scores of which no cell says anything are left out, and so is a table that says nothing.
    """
    sizes = shown_sizes(frame["n"])
    cells = {(r.method, r.n): cell(r) for r in frame.itertuples()}
    methods = [m for m in present(frame["method"]) if any(cells.get((m, n)) for n in sizes)]
    return score_table(methods, sizes, lambda m, n: cells.get((m, n), "")) if methods else ""
