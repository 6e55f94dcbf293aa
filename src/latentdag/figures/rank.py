"""Figure 2 (left) of the paper: the rank of the true structure at every number of cases."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from latentdag.figures import layout, style
from latentdag.figures.style import FAINT, GRID
from latentdag.scores.base import Look, Spec

HEIGHT = 2.8  # inches, of a plot
AT_ONCE = 6  # scores in one plot, beside the most trustworthy
QUANTILES = (0.1, 0.9)  # of the draws: ends of the band


@style.styled
def rank(ranks: pd.DataFrame, structures: pd.DataFrame) -> Figure:
    """The rank of the true structure (1, the best, on top) against the number of cases n.

    Reads draw, n, method, rank, rank_low, rank_high of the ranks table; the rows of the structures
    table give the last rank. One draw: its ranks, with a band from rank_low to rank_high where they
    differ. Several: the median over draws, with a band between the QUANTILES. Raises ValueError if
    the table has no score of this figure.
    """
    specs = style.drawn("rank", ranks["method"])
    if not specs:
        raise ValueError("no score of this figure in the ranks table")
    looks = style.looks()
    draws = ranks["draw"].nunique()
    lines = {
        spec.name: _line_and_band(ranks[ranks["method"] == spec.name], draws) for spec in specs
    }
    sizes = np.unique(np.concatenate([line.index for line in lines.values()]))
    groups = _groups(specs)
    legends = [[[(style.key(looks[s.name], s.label),) for s in group]] for group in groups]
    if any((line["low"] < line["high"]).any() for line in lines.values()):
        legends[0].append([(Patch(fc=FAINT, alpha=0.3, label=_meaning_of_band(draws)),)])

    across = layout.Across(sizes, layout.log_limits(sizes))
    figure, boxes = layout.page([layout.Plot(HEIGHT, own) for own in legends], across)
    for group, box in zip(groups, boxes, strict=True):
        axes = layout.add_axes(figure, box)
        across.apply(axes, labels=box is boxes[-1])
        _set_up(axes, len(structures))
        for spec in group:
            _draw(axes, spec.name, looks[spec.name], lines[spec.name])
    axes.set_xlabel("number of cases n")
    return figure


def _groups(specs: list[Spec]) -> list[list[Spec]]:
    """The scores of each plot. Where there are too many for one, several share them out, and the
    most trustworthy is in each, to compare the others with.
    """
    judge = max(specs, key=style.trust)
    others = [spec for spec in specs if spec is not judge]
    plots = max(1, -(-len(others) // AT_ONCE))
    return [[*own, judge] for own in np.array_split(np.array(others, dtype=object), plots)]


def _line_and_band(own: pd.DataFrame, draws: int) -> pd.DataFrame:
    """The rank and the ends of the band, low and high, of one score at each n, ascending."""
    if draws == 1:
        columns = {"rank": "middle", "rank_low": "low", "rank_high": "high"}
        return own.set_index("n")[list(columns)].rename(columns=columns).sort_index()
    # a rank's Monte Carlo error is part of the variation between draws
    of_size = own.groupby("n")["rank"]
    low, high = (of_size.quantile(q) for q in QUANTILES)
    return pd.DataFrame({"middle": of_size.median(), "low": low, "high": high})


def _meaning_of_band(draws: int) -> str:
    if draws == 1:
        return "90 % of the ranks that the scores' Monte Carlo errors allow"
    low, high = (f"{100 * q:.0f}" for q in QUANTILES)
    return f"line: median of {draws} draws; band: from {low} to {high} % of them"


def _set_up(axes: Axes, last: int) -> None:
    axes.set_yscale("function", functions=(_rank_to_height, _height_to_rank))
    ends = _rank_to_height(np.array([1.0, last]))
    low, high = _height_to_rank(ends + np.array([-0.035, 0.03]) * (ends[1] - ends[0]))
    axes.set_ylim(high, low)
    axes.set_ylabel(f"rank of the true structure (of {last})")
    marks = [r for r in (10**k * f for k in range(9) for f in (1, 2, 5)) if 1.25 * r < last]
    axes.yaxis.set_major_locator(FixedLocator([*marks, last]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda r, _: f"{r:.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(axis="y", color=GRID, lw=0.5, zorder=0)
    axes.set_axisbelow(True)


def _draw(axes: Axes, name: str, look: Look, line: pd.DataFrame) -> None:
    """A score's line with its markers, and its band if it has one."""
    if (line["low"] < line["high"]).any():
        fill = {"alpha": 0.35, "zorder": 1.5} if look.pale else {"alpha": 0.13, "zorder": 1}
        axes.fill_between(line.index, line["low"], line["high"], color=look.colour, lw=0,
                          gid=f"band-{name}", **fill)  # fmt: skip
        for end in ("low", "high"):
            axes.plot(line.index, line[end], color=look.colour, lw=0.5, alpha=0.5, zorder=1,
                      gid=f"{end}-{name}")  # fmt: skip
    axes.plot(line.index, line["middle"], **style.line(look), clip_on=False, gid=f"line-{name}")
    axes.plot(line.index, line["middle"], ls="none", **style.marker(look), clip_on=False,
              zorder=5 + style.in_front(look), gid=f"rank-{name}")  # fmt: skip


def _rank_to_height(rank):
    """Between linear and logarithmic: the first ranks keep their distance, the last are not
    squeezed into nothing.
    """
    return np.log(np.maximum(np.asarray(rank, dtype=float), -1.9) + 2)


def _height_to_rank(height):
    return np.exp(height) - 2
