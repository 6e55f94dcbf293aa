"""Figure 2 (left) of the paper: the rank of the true structure at every number of cases."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band
from latentdag.ranking.trust import most_trusted

HEIGHT = 3.2  # inches, of a plot with its labels
ENDS = ("rank", "rank_low", "rank_high")


@style.styled
def rank(ranks: pd.DataFrame, structures: pd.DataFrame, width: float = layout.WIDTH) -> Figure:
    """The rank of the true structure (1, the best, on top) against the number of cases n.

    The rows of the structures table give the last rank. A band goes from rank_low to rank_high
    where they differ. Where there are too many scores for one plot, several share them out, and the
    most trustworthy is in each, to compare the others with. The figure is ``width`` inches wide.
    """
    methods = style.shown(ranks, "ranks table", "rank")
    judge = most_trusted(methods)
    plots = style.shared_out([m for m in methods if m != judge]) or [[]]
    shown = ranks[ranks["method"].isin(methods)]
    figure = layout.page(HEIGHT * len(plots), width)
    panels = figure.subplots(len(plots), sharex=True, squeeze=False)[:, 0]
    for axes, part in zip(panels, plots, strict=True):
        for method in (*part, judge):
            band.draw(axes, method, shown[shown["method"] == method], ENDS)
        rank_axis(axes, len(structures))
        axes.set_ylabel(f"rank of the true structure (of {len(structures)})")
    if (shown["rank_low"] < shown["rank_high"]).any():
        band.explain(axes, "90 % of the ranks that the scores' Monte Carlo errors allow")
    layout.log_ticks(axes, shown["n"])
    axes.set_xlabel("number of cases n")
    layout.add_legend(figure)
    return figure


def rank_axis(axes: Axes, last: int) -> None:
    """A y axis of ranks with 1, the best, on top, down to ``last``. It is between linear and
    logarithmic: the first ranks keep their distance, the last are not squeezed into nothing.
    """
    to_height = (lambda rank: np.log(np.maximum(rank, -1.9) + 2), lambda height: np.exp(height) - 2)
    axes.set_yscale("function", functions=to_height)
    marks = [r for r in (10**k * f for k in range(9) for f in (1, 2, 5)) if 1.25 * r < last]
    axes.set_yticks([*marks, last])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(1.12 * last, 0.6)
    layout.grid(axes)
