"""Lines in bands: a score's with its interval, and a median with the spread about it."""

import pandas as pd
from matplotlib.axes import Axes

from latentdag.figures import style
from latentdag.figures.style import INK
from latentdag.scores import SPECS

WIDE, HALF = "#e4e4e4", "#b9b9b9"  # bands about a median


def draw(axes: Axes, method: str, line: pd.DataFrame, label: str = "") -> None:
    """A score's line with its markers, and its band if it has one; in the legend as ``label``, or
    else by its own.

    ``line`` has the index n, ascending, and columns ``middle``, ``low`` and ``high``.
    """
    look = style.looks()[method]
    if (line["low"] < line["high"]).any():
        fill = {"alpha": 0.35, "zorder": 1.5} if look.pale else {"alpha": 0.13, "zorder": 1}
        axes.fill_between(line.index, line["low"], line["high"], color=look.colour, lw=0,
                          gid=f"band-{method}", **fill)  # fmt: skip
        for end in ("low", "high"):
            axes.plot(line[end], color=look.colour, lw=0.5, alpha=0.5, zorder=1,
                      gid=f"{end}-{method}")  # fmt: skip
    axes.plot(line["middle"], **style.line(look), clip_on=False, gid=f"line-{method}")
    axes.plot(line["middle"], ls="none", **style.marker(look), clip_on=False,
              zorder=5 + style.in_front(look), gid=f"marks-{method}")  # fmt: skip
    axes.plot([], [], **style.line(look), **style.marker(look), label=label or SPECS[method].label)


def draw_median(
    axes: Axes, name: str, quantiles: pd.DataFrame, median_of: str, wide_of: str
) -> None:
    """A median in two bands, with words for the legend.

    ``quantiles`` has the index n, ascending, and five columns: the lower end of the wide band, that
    of the middle half, the median, and the upper ends.
    """
    low, lower, median, upper, high = (quantiles[c].astype(float) for c in quantiles)
    axes.plot(median, color=INK, lw=1.6, zorder=3, gid=f"median-{name}",
              label=f"median of {median_of}")  # fmt: skip
    bands = ((lower, upper, HALF, 1.1, "middle half"), (low, high, WIDE, 1.0, wide_of))
    for start, end, colour, depth, words in bands:
        axes.fill_between(quantiles.index, start, end, lw=0, zorder=depth, color=colour,
                          gid=f"band-{name}", label=words)  # fmt: skip
