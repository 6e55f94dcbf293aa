"""Figure 2 (left) of the paper: the rank of the true structure at every number of cases."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from latentdag.figures import band, layout, style
from latentdag.figures.style import FAINT
from latentdag.scores.base import Spec
from latentdag.study.many_draws.population import RANK_BAND, rank_bands

HEIGHT = 2.8  # inches, of a plot


@style.styled
def rank(ranks: pd.DataFrame, structures: pd.DataFrame) -> Figure:
    """The rank of the true structure (1, the best, on top) against the number of cases n.

    Reads draw, n, method, rank, rank_low, rank_high of the ranks table; the rows of the structures
    table give the last rank. One draw: its ranks, with a band from rank_low to rank_high where they
    differ. Several: the median over draws in a band, as
    `latentdag.study.many_draws.population.rank_bands` has them. Raises ValueError if the table has
    no score of this figure.
    """
    specs = style.drawn("rank", ranks["method"])
    if not specs:
        raise ValueError("no score of this figure in the ranks table")
    looks = style.looks()
    bands = rank_bands(ranks)
    lines = {spec.name: bands.loc[spec.name] for spec in specs}
    sizes = np.unique(np.concatenate([line.index for line in lines.values()]))
    groups = _groups(specs)
    legends = [[[(style.key(looks[s.name], s.label),) for s in group]] for group in groups]
    if any((line["low"] < line["high"]).any() for line in lines.values()):
        legends[0].append(
            [(Patch(fc=FAINT, alpha=0.3, label=_meaning_of_band(len(set(ranks["draw"])))),)]
        )

    across = layout.Across(sizes, layout.log_limits(sizes))
    figure, boxes = layout.page([layout.Plot(HEIGHT, legend) for legend in legends], across)
    for group, box in zip(groups, boxes, strict=True):
        axes = layout.add_axes(figure, box)
        across.apply(axes, labels=box is boxes[-1])
        rank_axis(axes, len(structures))
        axes.set_ylabel(f"rank of the true structure (of {len(structures)})")
        for spec in group:
            band.draw(axes, spec.name, looks[spec.name], lines[spec.name])
    axes.set_xlabel("number of cases n")
    return figure


def _groups(specs: list[Spec]) -> list[list[Spec]]:
    """The scores of each plot. Where there are too many for one, several share them out, and the
    most trustworthy is in each, to compare the others with.
    """
    judge = max(specs, key=style.trust)
    others = [spec for spec in specs if spec is not judge]
    return [[*part, judge] for part in style.shared_out(others) or [[]]]


def _meaning_of_band(draws: int) -> str:
    if draws == 1:
        return "90 % of the ranks that the scores' Monte Carlo errors allow"
    low, high = (f"{100 * RANK_BAND[end]:.0f}" for end in ("low", "high"))
    return f"line: median of {draws} draws; band: from {low} to {high} % of them"


def rank_axis(axes: Axes, last: int) -> None:
    """A y axis of ranks with 1, the best, on top, down to ``last``."""
    axes.set_yscale("function", functions=(_rank_to_height, _height_to_rank))
    ends = _rank_to_height(np.array([1.0, last]))
    low, high = _height_to_rank(ends + np.array([-0.035, 0.03]) * (ends[1] - ends[0]))
    axes.set_ylim(high, low)
    marks = [r for r in (10**k * f for k in range(9) for f in (1, 2, 5)) if 1.25 * r < last]
    axes.yaxis.set_major_locator(FixedLocator([*marks, last]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda r, _: f"{r:.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    layout.grid(axes)


def _rank_to_height(rank):
    """Between linear and logarithmic: the first ranks keep their distance, the last are not
    squeezed into nothing.
    """
    return np.log(np.maximum(np.asarray(rank, dtype=float), -1.9) + 2)


def _height_to_rank(height):
    return np.exp(height) - 2
