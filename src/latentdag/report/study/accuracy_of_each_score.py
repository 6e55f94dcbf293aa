"""Accuracy of each score: `latentdag.study.one_draw.distances.measures` and
`latentdag.study.one_draw.sizes.sizes_for_good`, a row for each score.
"""

from collections.abc import Mapping

import pandas as pd

from latentdag.report.markdown import label, number, place, score_table, start
from latentdag.study.one_draw.distances import MEASURES, nearest
from latentdag.study.one_draw.errors import error_by_size, fewer_structures
from latentdag.study.one_draw.ranks import rank_by_size
from latentdag.study.one_draw.sizes import sizes_for_good, some_sizes

TITLE = "Accuracy of each score"
BY_ERROR, _, BY_ORDER = MEASURES
NOTE = (
    "Each score is compared with the reference, over the structures, at some of the sizes. The "
    "tables of errors, posteriors and ranks have all sizes."
)


def section(
    errors: pd.DataFrame, ranks: pd.DataFrame, measures: Mapping[str, pd.DataFrame]
) -> list[str]:
    """From the tables of one draw and `latentdag.study.one_draw.distances.measures` of it."""
    text = []
    if len(errors):
        size, order = measures[BY_ERROR], measures[BY_ORDER]
        middle, fewer = error_by_size(errors, "median"), fewer_structures(errors)
        text += [
            NOTE,
            "Mean absolute error, in nats."
            + (
                " The number in brackets is the number of structures, if some have no score."
                if fewer.notna().any(axis=None)
                else ""
            ),
            score_table(
                list(size),
                some_sizes(size.index),
                lambda m, n: number(size[m][n], ".2f") + _brackets(fewer[m][n]),
                more=_nearest(size),
            ),
            "Median error, in nats. A score with an error below 0 is too low.",
            score_table(
                list(middle), some_sizes(middle.index), lambda m, n: number(middle[m][n], "+z.2f")
            ),
        ]
        if len(order):
            text += [
                "Rank correlation of the structures' scores with the reference. 1 means the same "
                "order.",
                score_table(
                    list(order),
                    some_sizes(order.index),
                    lambda m, n: number(1 - order[m][n], "z.3f"),
                    more=_nearest(order),
                ),
            ]
    if len(ranks):
        places = rank_by_size(ranks)
        first = {m: start(n) for m, n in sizes_for_good(ranks).items()}
        text += [
            "Rank of the true structure (1 is best), and the size n from which on it is first: at "
            "n and at every larger size. Structures with equal scores share the better rank. A "
            "score that is equal for all structures ranks all of them first, and has no rank "
            "correlation.",
            score_table(
                list(places),
                some_sizes(places.index),
                lambda m, n: place(places[m][n]),
                ("first from n on", first),
            ),
        ]
    return [f"## {TITLE}", *text] if text else []


def _brackets(count: float) -> str:
    return f" ({count:g})" if count == count else ""


def _nearest(distances: pd.DataFrame) -> list[list[str]]:
    """Rows with the nearest score of each size that is shown, of all and of those that do not
    sample.
    """
    sizes = some_sizes(distances.index)
    of_all, of_others = nearest(distances), nearest(distances, sampling=False)
    return [
        ["*nearest*", *(label(of_all[n]) for n in sizes)],
        ["*nearest without sampling*", *(label(of_others[n]) for n in sizes)],
    ]
