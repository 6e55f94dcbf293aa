"""Lines in bands: a score's with its interval, and a median with the spread about it."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from latentdag.drawing import style
from latentdag.scores import SPECS
from latentdag.scores.base import Look
from latentdag.study.schema.words import counted

INTERVAL = "95 % interval (Wilson)"
THIN = 2.0  # points, of a line that is wide elsewhere
WIDE, HALF = "#e4e4e4", "#b9b9b9"  # bands about a median


def draw(
    axes: Axes,
    method: str,
    rows: pd.DataFrame,
    ends: Sequence[str],
    label: str = "",
    scale: float = 1.0,
    look: Look | None = None,
) -> None:
    """Draw in ``axes`` the line of the score ``method`` by n with its markers, and its band if it
    has one; in the legend as ``label``, by the score's own if that is empty, and not at all if it
    is an underscore. ``rows`` have n and the columns ``ends``: the line and the two ends of its
    band. Markers are ``scale`` times as large as the ``look`` has them, which is the score's unless
    it is given.
    """
    look = look or SPECS[method].look
    middle, low, high = (rows.set_index("n").sort_index()[end].astype(float) for end in ends)
    if (low < high).any():
        fill = {"alpha": 0.35, "zorder": 1.5} if look.pale else {"alpha": 0.13, "zorder": 1}
        axes.fill_between(middle.index, low, high, color=look.colour, lw=0, gid=f"band-{method}",
                          **fill)  # fmt: skip
        for name, end in (("low", low), ("high", high)):
            axes.plot(end, color=look.colour, lw=0.5, alpha=0.5, zorder=1, gid=f"{name}-{method}")
    axes.plot(middle, **style.line(look), clip_on=False, gid=f"line-{method}")
    # small markers lie on large ones
    axes.plot(middle, ls="none", **style.marker(look, scale), clip_on=False,
              zorder=5 - look.size / 100, gid=f"marks-{method}")  # fmt: skip
    axes.plot([], [], **style.line(look), **style.marker(look), label=label or SPECS[method].label)


def draw_judge(axes: Axes, judge: str, values: pd.Series, name: str, label: str) -> None:
    """Draw in ``axes`` a thin line of the most trustworthy score, ``judge``, in the panel of
    another, ``name``: its ``values`` by n (the index), in the legend as ``label``.
    """
    look = SPECS[judge].look
    line = style.line(look) | {"lw": min(look.width, THIN), "zorder": 2.5}
    axes.plot(values.astype(float), **line, gid=f"judge-{name}", label=label)


def explain(axes: Axes, words: str = INTERVAL) -> None:
    """Give the legend of ``axes`` a key for the bands, explained by ``words``."""
    axes.fill_between([], [], fc=style.FAINT, alpha=0.3, lw=0, label=words)


def draw_median(
    axes: Axes, name: str, quantiles: pd.DataFrame, median_of: str, wide_of: str
) -> None:
    """Draw in ``axes``, the panel ``name``, a median in two bands. In the legend ``median_of`` says
    of what it is the median, and ``wide_of`` what the wide band holds.

    ``quantiles`` has the index n, ascending, and five columns: the lower end of the wide band, that
    of the middle half, the median, and the upper ends of the middle half and of the wide band.
    """
    low, lower, median, upper, high = (quantiles[c].astype(float) for c in quantiles)
    axes.plot(median, color=style.INK, lw=1.6, zorder=3, gid=f"median-{name}",
              label=f"median of {median_of}")  # fmt: skip
    bands = ((lower, upper, HALF, 1.1, "middle half"), (low, high, WIDE, 1.0, wide_of))
    for start, end, colour, depth, words in bands:
        axes.fill_between(quantiles.index, start, end, lw=0, zorder=depth, color=colour,
                          gid=f"band-{name}", label=words)  # fmt: skip


def draws_of(table: pd.DataFrame) -> str:
    """How many draws the rows of ``table`` are over, by its column ``draws``, in words such as "90
    to 100 draws".
    """
    low, high = int(table["draws"].min()), int(table["draws"].max())
    return ("" if low == high else f"{low} to ") + counted(high, "draw")
