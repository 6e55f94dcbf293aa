"""How probable it is that two observed variables share a cause, for every pair of them."""

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure

from latentdag.figures import layout, style
from latentdag.figures.style import INK, MEDIUM, SMALL
from latentdag.scores import SPECS
from latentdag.study.schema.candidates import variable_names

COLOURS = colormaps["cividis_r"]  # perceptually uniform: 0 is pale, 1 dark, in grey too
DARK = 55  # lightness below which the numbers are white
CELLS, LEAST, LARGEST = 4.5, 0.3, 0.55  # inches, of all cells side by side, if each has at least
MARGIN, NARROWEST = 0.1, 1.2  # inches: around all; of the room for names
APART, BAR, LOWEST = 0.15, 0.14, 1.6  # inches: the scale's distance, width and least height
CERTAIN = 0.99  # probability from which all cells would look alike
LINE = 1.25 * SMALL / 72  # inches, of a line of a name


def shared_causes(links: pd.DataFrame, variables: pd.DataFrame, method: str) -> Figure:
    """`matrix`, or where every pair shares a cause with a probability of 0.99 or more, a sentence
    that says so.
    """
    least = links.loc[links["method"] == method, "probability"].min()
    if least >= CERTAIN:
        return _sentence(len(variable_names(variables)), method, least)
    return matrix(links, variables, method)


@style.styled
def matrix(links: pd.DataFrame, variables: pd.DataFrame, method: str) -> Figure:
    """The posterior probability, by ``method``, that two observed variables share a hidden cause:
    a square with a row and a column for each variable, in the order of the data.

    Reads first_name, second_name, method, probability of the links table, and variable, name of the
    variables table. Raises ValueError if the method is not in the table of links.
    """
    pairs = links[links["method"] == method]
    if pairs.empty and not links.empty:
        raise ValueError(f"the links table has no {method}")
    names = variable_names(variables)
    probabilities = pd.DataFrame(np.nan, index=names, columns=names)
    for r in pairs.itertuples():
        probabilities.loc[r.first_name, r.second_name] = r.probability
        probabilities.loc[r.second_name, r.first_name] = r.probability

    cell = min(max(CELLS / len(names), LEAST), LARGEST)
    room, words = _names(names, cell)
    side = cell * len(names)
    left, bottom = MARGIN + room + 0.05, MARGIN + room + 0.05
    height = max(side, LOWEST)
    title = f"probability that the two share a cause, by {SPECS[method].label}"
    title = layout.wrapped(title, height)
    right = APART + BAR + 0.4 + LINE * (title.count("\n") + 1)
    figure = Figure(figsize=(left + side + right, bottom + height + MARGIN))
    axes = layout.add_axes(figure, layout.Box(left, bottom, side, side))
    axes.imshow(probabilities, cmap=COLOURS, vmin=0, vmax=1, aspect="auto", gid="cells")
    _write(axes, probabilities.to_numpy())
    _frame(axes, words)
    place = layout.Box(left + side + APART, bottom, BAR, height)
    scale = figure.colorbar(ScalarMappable(cmap=COLOURS), cax=layout.add_axes(figure, place))
    scale.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])
    scale.set_label(title, fontsize=SMALL, linespacing=1.0)
    return figure


@style.styled
def _sentence(n_variables: int, method: str, least: float) -> Figure:
    words = f"Every two of the {n_variables} variables share a cause: "
    words += f"the probability is {np.floor(1000 * least) / 1000:g} or more, by "
    words += f"{SPECS[method].label}."
    figure = Figure(figsize=(layout.WIDTH, 0.4))
    figure.text(0.01, 0.5, words, va="center", fontsize=MEDIUM, gid="sentence")
    return figure


def _names(names: list[str], cell: float) -> tuple[float, list[str]]:
    """Inches that the names need beside cells of this size, and the names, each in no more lines
    than fit in a cell.
    """
    fit = int(cell / LINE)
    for room in np.arange(NARROWEST, 99, 0.1):
        words = [layout.wrapped(name, room) for name in names]
        if all(word.count("\n") < fit for word in words):
            break
    return max(layout.text_width(line, SMALL) for w in words for line in w.split("\n")), words


def _write(axes: Axes, probabilities: np.ndarray) -> None:
    """The number of each cell, in white on dark ones."""
    for (i, j), p in np.ndenumerate(probabilities):
        if not np.isnan(p):
            dark = style.lightness(COLOURS(p)) < DARK
            axes.text(j, i, f"{p:.2f}", ha="center", va="center", fontsize=6.0,
                      color="white" if dark else INK, gid=f"{i + 1}-{j + 1}")  # fmt: skip


def _frame(axes: Axes, words: list[str]) -> None:
    """The names on both axes, and white lines between the cells."""
    at = np.arange(len(words))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(at, labels=words, linespacing=1.0, parse_math=False)
        axis.set_ticks(at[1:] - 0.5, minor=True)
        axis.set_tick_params(which="both", length=0, pad=3)
    axes.tick_params(axis="x", labelrotation=90)
    axes.grid(which="minor", color="white", lw=0.8)
    axes.spines[:].set_visible(False)
