"""What the sections share: tables with a row for each score and a column for each size."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from latentdag.report.markdown import label, table
from latentdag.study.one_draw.sizes import some_sizes
from latentdag.study.paper.claims_held import SIZES
from latentdag.study.schema.frames import present

KINDS = {"structure": "By structure:", "class": "By class of equal distributions:"}


def told(sizes: Iterable[int]) -> list[int]:
    """The sizes that are told: some of them, and the paper's where they are among them."""
    own = {int(n) for n in sizes}
    return sorted({*some_sizes(own), *(own & set(SIZES.values()))})


def by_kind(frame: pd.DataFrame, write: Callable[[pd.DataFrame], str]) -> list[str]:
    """What ``write`` makes of the rows by structure, and of those by class, each under its name;
    nothing where it makes nothing.
    """
    text = []
    for kind, name in KINDS.items():
        own = frame[frame["by"] == kind]
        written = write(own) if len(own) else ""
        if written:
            text += [name, written]
    return text


def by_size(frame: pd.DataFrame, cell: Callable[[Any], str]) -> str:
    """A table of ``cell(row)`` with a row for each method and a column for each size told; scores
    of which no cell says anything are left out, and so is a table that says nothing.
    """
    sizes = told(frame["n"])
    cells = {(r.method, r.n): cell(r) for r in frame.itertuples()}
    rows = [[label(m), *(cells.get((m, n), "") for n in sizes)] for m in present(frame["method"])]
    rows = [row for row in rows if any(row[1:])]
    return table(["score", *(f"n = {n}" for n in sizes)], rows) if rows else ""
