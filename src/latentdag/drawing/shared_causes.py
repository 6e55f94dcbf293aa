"""How probable it is that two observed variables share a cause, for every pair of them."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.scores import SPECS

COLOURS = colormaps["cividis_r"]  # perceptually uniform: 0 is pale, 1 dark, in grey too
DARK = 55  # lightness below which the numbers are white
CELLS, LEAST, LARGEST = 4.5, 0.3, 0.55  # inches, of all cells side by side, if each has at least
NAME, SCALE = 1.2, 0.8  # inches: that a line of a name has, at least; right of the cells
LINE = 1.25 * style.SMALL / 72  # inches, of a line of a name
LOWEST = 1.6  # inches, of the scale


@style.styled
def matrix(pairs: Iterable[tuple[str, str, float]], names: Sequence[str], method: str) -> Figure:
    """A figure of the posterior probability, by ``method``, that two observed variables share a
    hidden cause, as a square of cells in the order of their ``names``; ``pairs`` are two names and
    this probability.
    """
    cells = pd.DataFrame(np.nan, index=names, columns=names)
    for first, second, probability in pairs:
        cells.loc[first, second] = cells.loc[second, first] = probability

    cell = min(max(CELLS / len(names), LEAST), LARGEST)
    room = NAME
    while any(layout.wrapped(name, room).count("\n") >= int(cell / LINE) for name in names):
        room += 0.1
    words = [layout.wrapped(name, room) for name in names]
    side = cell * len(names)
    height = max(side, LOWEST)
    figure = style.Picture(figsize=(room + side + SCALE, room + height), layout="constrained")
    axes = figure.add_subplot()
    shown = axes.imshow(cells, cmap=COLOURS, vmin=0, vmax=1, gid="cells")
    for (i, j), p in np.ndenumerate(cells):
        if not np.isnan(p):
            dark = style.lightness(COLOURS(p)) < DARK
            axes.text(j, i, f"{p:.2f}", ha="center", va="center", fontsize=6.0,
                      color="white" if dark else style.INK, gid=f"{i + 1}-{j + 1}")  # fmt: skip
    at = np.arange(len(names))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(at, labels=words, linespacing=1.0, parse_math=False)
        axis.set_ticks(at[1:] - 0.5, minor=True)
    axes.tick_params(which="both", length=0)
    axes.tick_params(axis="x", labelrotation=90)
    axes.grid(which="minor", color="white", lw=0.8)
    axes.spines[:].set_visible(False)
    title = f"probability that the two share a cause, by {SPECS[method].label}"
    scale = figure.colorbar(shown, aspect=30, pad=0.02)
    scale.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    scale.set_label(layout.wrapped(title, height), fontsize=style.SMALL)
    return figure
