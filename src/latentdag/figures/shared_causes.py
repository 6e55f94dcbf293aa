"""How probable it is that two observed variables share a cause, for every pair of them."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.figure import Figure

from latentdag.figures import layout, style
from latentdag.scores import SPECS
from latentdag.study.schema.candidates import variable_names

COLOURS = colormaps["cividis_r"]  # perceptually uniform: 0 is pale, 1 dark, in grey too
DARK = 55  # lightness below which the numbers are white
CELLS, LEAST, LARGEST = 4.5, 0.3, 0.55  # inches, of all cells side by side, if each has at least
NAME, SCALE = 1.2, 0.8  # inches: that a line of a name has, at least; right of the cells
LINE = 1.25 * style.SMALL / 72  # inches, of a line of a name
LOWEST = 1.6  # inches, of the scale
CERTAIN = 0.99  # probability from which all cells would look alike


def shared_causes(links: pd.DataFrame, variables: pd.DataFrame, method: str) -> Figure:
    """`matrix`, or where every probability is 0.99 or more, a sentence that says so."""
    least = links.loc[links["method"] == method, "probability"].min()
    if least >= CERTAIN:
        return _sentence(len(variable_names(variables)), method, least)
    return matrix(links, variables, method)


@style.styled
def matrix(links: pd.DataFrame, variables: pd.DataFrame, method: str) -> Figure:
    """The posterior probability, by ``method``, that two observed variables share a hidden cause,
    as a square in the order of the data. Raises ValueError if the table of links lacks the method.
    """
    pairs = links[links["method"] == method]
    if pairs.empty and not links.empty:
        raise ValueError(f"the links table has no {method}")
    names = variable_names(variables)
    cells = pd.DataFrame(np.nan, index=names, columns=names)
    for r in pairs.itertuples():
        cells.loc[r.first_name, r.second_name] = r.probability
        cells.loc[r.second_name, r.first_name] = r.probability

    cell = min(max(CELLS / len(names), LEAST), LARGEST)
    room = NAME
    while any(layout.wrapped(name, room).count("\n") >= int(cell / LINE) for name in names):
        room += 0.1
    words = [layout.wrapped(name, room) for name in names]
    side = cell * len(names)
    height = max(side, LOWEST)
    figure = Figure(figsize=(room + side + SCALE, room + height), layout="constrained")
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


@style.styled
def _sentence(n_variables: int, method: str, least: float) -> Figure:
    words = f"Every two of the {n_variables} variables share a cause: "
    words += f"the probability is {np.floor(1000 * least) / 1000:g} or more, by "
    words += f"{SPECS[method].label}."
    figure = Figure(figsize=(layout.WIDTH, 0.4))
    figure.text(0.01, 0.5, words, va="center", fontsize=style.MEDIUM, gid="sentence")
    return figure
