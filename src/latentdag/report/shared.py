"""What the views of all summaries share."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import drawn

View = dict[Any, Any] | None


def by_name(tables: Mapping[str, pd.DataFrame]) -> SimpleNamespace:
    """The tables by their names, empty ones in place of those that are absent. Raises TypeError for
    a table that no study has.
    """
    if unknown := set(tables) - set(TABLES):
        raise TypeError(f"no study has the table {', '.join(sorted(unknown))}")
    empty = {name: pd.DataFrame(columns=table.columns) for name, table in TABLES.items()}
    return SimpleNamespace(**empty | dict(tables))


def of_figure(figure: str, table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the scores that a figure draws."""
    return table[table["method"].isin(drawn(figure, table["method"]))]
