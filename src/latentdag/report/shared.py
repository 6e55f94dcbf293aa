"""What the views of all summaries share, and the views of the fits."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pandas as pd

from latentdag.report.markdown import pairs
from latentdag.study.one_draw import fits as of_fits
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


def structures_without_a_score(scores: pd.DataFrame) -> View:
    """By method and reason the pairs of structure and size without a score, of all draws."""
    several = len(set(scores["draw"])) > 1
    return {key: pairs(lost, several) for key, lost in of_fits.lost_by_reason(scores).items()}


def fits(scores: pd.DataFrame) -> View:
    """Which fits did not converge, and how many restarts ended at the best; of all draws."""
    every = of_fits.fits(scores)
    found = {
        "convergence": of_fits.convergence(every),
        "failed": of_fits.not_converged_by_size(every),
        "at_best": of_fits.at_best(every),
    }
    return found if any(map(len, found.values())) else None
