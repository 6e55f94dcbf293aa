"""What each score is worth: `latentdag.study.one_draw.distances`,
`latentdag.study.one_draw.distances.measures` and
`latentdag.study.one_draw.ranks.sizes_for_good`, a row for each score.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from latentdag.report.markdown import label, number, place, table
from latentdag.study.one_draw.distances import MEASURES, nearest
from latentdag.study.one_draw.errors import error_by_size
from latentdag.study.one_draw.ranks import rank_by_size as ranks_by_size
from latentdag.study.one_draw.ranks import sizes_for_good
from latentdag.study.one_draw.sizes import some_sizes

TITLE = "What each score is worth"
BY_ERROR, _, BY_ORDER = MEASURES
NOTE = (
    "A row for each score, at some of the sizes; the tables of errors, posteriors and ranks have "
    "all. A score is held against the reference, over the structures."
)


def section(
    errors: pd.DataFrame, ranks: pd.DataFrame, measures: Mapping[str, pd.DataFrame]
) -> list[str]:
    """From the tables of one draw and `latentdag.study.one_draw.distances.measures` of it."""
    text = []
    if len(errors):
        size, order = measures[BY_ERROR], measures[BY_ORDER]
        count = error_by_size(errors, "size")
        lost = count.lt(count.max(axis=1), axis=0)  # nan, where a score did not run, is not less
        text += [
            "Mean absolute error, in nats."
            + (" In brackets: of how many structures, where others have no score." if
               lost.any(axis=None) else ""),
            _table(size, lambda v, n, m: number(v, ".2f")
                   + (f" ({count[m][n]:g})" if lost[m][n] else ""), size),
            "Median error, in nats; below 0 is too low.",
            _table(error_by_size(errors, "median"), lambda v, n, m: number(v, "+z.2f")),
        ]  # fmt: skip
        if len(order):
            text += [
                "Rank correlation with the reference; 1 is the same order of structures.",
                _table(order, lambda v, n, m: number(1 - v, "z.3f"), order),
            ]
    if len(ranks):
        first = {m: "never" if n is None else n for m, n in sizes_for_good(ranks).items()}
        text += [
            "Rank of the true structure (1 is best), and the size from which it is first for good. "
            "Structures of equal score share the better rank: a score that tells none apart ranks "
            "all of them first, and has no rank correlation above.",
            _table(ranks_by_size(ranks), lambda v, n, m: place(v), first=first),
        ]
    return [f"## {TITLE}", NOTE, *text] if text else []


def _table(
    found: pd.DataFrame,
    cell: Callable[[float, int, str], str],
    distances: pd.DataFrame | None = None,
    first: Mapping[str, object] | None = None,
) -> str:
    """A row for each method of ``found``, n by method, and a column for each size that is told.

    ``distances`` add rows with the nearest score of each size, ``first`` a last column.
    """
    sizes = some_sizes(found.index)
    rows = [[label(m), *(cell(found[m][n], n, m) for n in sizes)] for m in found]
    header = ["score", *(f"n = {n}" for n in sizes)]
    if first is not None:
        header.append("first for good from")
        rows = [[*row, first.get(m, "")] for row, m in zip(rows, found, strict=True)]
    if distances is not None:
        for words, sampling in (("*nearest*", True), ("*nearest without sampling*", False)):
            best = nearest(distances, sampling)
            rows.append([words, *(label(best[n]) for n in sizes)])
    return table(header, rows)
