"""A score's line with its markers in a band."""

import pandas as pd
from matplotlib.axes import Axes

from latentdag.figures import style
from latentdag.scores.base import Look


def draw(axes: Axes, name: str, look: Look, line: pd.DataFrame) -> None:
    """A score's line with its markers, and its band if it has one.

    ``line`` has the index n, ascending, and columns ``middle``, ``low`` and ``high``.
    """
    if (line["low"] < line["high"]).any():
        fill = {"alpha": 0.35, "zorder": 1.5} if look.pale else {"alpha": 0.13, "zorder": 1}
        axes.fill_between(line.index, line["low"], line["high"], color=look.colour, lw=0,
                          gid=f"band-{name}", **fill)  # fmt: skip
        for end in ("low", "high"):
            axes.plot(line.index, line[end], color=look.colour, lw=0.5, alpha=0.5, zorder=1,
                      gid=f"{end}-{name}")  # fmt: skip
    axes.plot(line.index, line["middle"], **style.line(look), clip_on=False, gid=f"line-{name}")
    axes.plot(line.index, line["middle"], ls="none", **style.marker(look), clip_on=False,
              zorder=5 + style.in_front(look), gid=f"marks-{name}")  # fmt: skip
