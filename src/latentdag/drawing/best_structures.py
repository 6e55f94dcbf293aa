"""The links of the most probable structures: as graphs, or of many variables as grids."""

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import graph, layout, style
from latentdag.ranking.names import states
from latentdag.ranking.ranking import ProbableLinks

MOST, COLUMNS = 6, 2  # pictures on the page, at most; graphs side by side
WIDEST = 9.0  # inches, of a page with graphs side by side
LINE, SIZE = 0.13, 8.0  # inches, of a line of text; points, of a caption
CELL, NAME, CAUSE = 0.24, 2.2, 0.5  # inches: a grid's row, its names, the column of a cause
COLOURS, BLACK = colormaps["Greys"], 1.3  # what would be black, so that certain links are not
DARK = 60  # lightness below which the numbers are white


@style.styled
def graphs(probable: Sequence[ProbableLinks], variables: Sequence[str]) -> Figure:
    """A figure with one picture for each set of causes in ``probable``, a list of `ProbableLinks`,
    the most probable first, and six at most. Sets of causes whose pictures look alike, as they
    differ in numbers of states alone, share one. ``variables`` are the names of the observed
    variables.

    A picture is a graph where all fit on a line of the page (eight variables), and else a grid with
    a row for each variable, a column for each cause, and a cell where the cause acts. An arrow or
    cell is the darker, the more probable the link is, given these causes; a cell has the
    probability as a number, unless that is 1.00.

    Causes are counted by class of equal distributions: a cause of one variable explains no
    association, and is absorbed.
    """
    alike: dict[tuple, list[ProbableLinks]] = {}
    for links in probable[:MOST]:
        # what a picture shows, to a tenth of its links' probabilities
        shares = sorted((link, round(share, 1)) for link, share in links.shares.items())
        alike.setdefault((links.links.parents, *shares), []).append(links)
    shown = {"\n".join(map(_caption, group)): group[0] for group in alike.values()}
    widest = max(graph.width(picture.links.family) for picture in shown.values())
    return (_graphs if widest <= layout.WIDTH else _grids)(shown, variables)


def _graphs(shown: dict[str, ProbableLinks], variables: Sequence[str]) -> Figure:
    """A graph for each caption. Names are in the circles where all of them are short."""
    in_circles = all(layout.text_width(name, graph.NAME) <= graph.ROOM for name in variables)
    names = [layout.wrapped(name, graph.PITCH - 0.08) for name in variables]
    families = [picture.links.family for picture in shown.values()]
    below = 0.4 if in_circles else 0.5 + LINE * _most_lines(names)
    above = 0.4 + 1.2 * LINE * _most_lines(shown)
    words = max(layout.text_width(line, SIZE) for c in shown for line in c.split("\n"))
    width = max(*map(graph.width, families), words) + 0.2
    height = below + max(map(graph.rise, families)) + above
    columns = min(COLUMNS, len(shown), max(1, int(WIDEST / width)))
    rows = -(-len(shown) // columns)
    figure = style.Picture(figsize=(width * columns, height * rows))
    places = {"left": 0, "bottom": 0, "right": 1, "top": 1, "wspace": 0, "hspace": 0}
    cells = figure.add_gridspec(rows, columns, **places)
    for k, (caption, picture) in enumerate(shown.items()):
        axes = figure.add_subplot(cells[divmod(k, columns)])
        aside = (width - graph.width(picture.links.family)) / 2
        axes.set(xlim=(-aside, width - aside), ylim=(-below, height - below))
        axes.set_axis_off()
        graph.draw(axes, picture.links, picture.shares, variables if in_circles else None)
        for j, name in enumerate(names if not in_circles else ()):
            x = graph.place(j, picture.links.family.observed, picture.links.family)
            axes.text(x, -graph.RADIUS - 0.1, name, ha="center", va="top", fontsize=style.SMALL,
                      parse_math=False, gid=f"name-y{j + 1}")  # fmt: skip
        axes.text(width / 2 - aside, height - below - 0.05, caption, ha="center", va="top",
                  fontsize=SIZE, gid="caption")  # fmt: skip
    return figure


def _grids(shown: dict[str, ProbableLinks], variables: Sequence[str]) -> Figure:
    """A grid for each caption, with the names of the variables left of it."""
    names = [layout.wrapped(name, NAME) for name in variables]
    cell = max(CELL, LINE * _most_lines(names))
    causes = max(len(picture.links.family.hidden) for picture in shown.values())
    width = NAME + max(CAUSE * causes, 1.2)
    captions = [
        "\n".join(layout.wrapped(line, width - 0.2, SIZE) for line in caption.split("\n"))
        for caption in shown
    ]
    columns = min(len(shown), max(1, int(WIDEST / width)))
    rows = -(-len(shown) // columns)
    height = cell * len(variables) + 0.3 + 1.2 * LINE * _most_lines(captions)
    figure = style.Picture(figsize=(width * columns, height * rows), layout="constrained")
    cells = figure.add_gridspec(rows, columns)
    for k, (caption, picture) in enumerate(zip(captions, shown.values(), strict=True)):
        axes = figure.add_subplot(cells[divmod(k, columns)])
        _draw_grid(axes, picture, names)
        axes.set_title(caption, fontsize=SIZE, loc="right", gid="caption")
    return figure


def _draw_grid(axes: Axes, picture: ProbableLinks, names: Sequence[str]) -> None:
    """A cell for each link, with its probability given the causes."""
    family = picture.links.family
    shares = np.full((len(family.observed), max(len(family.hidden), 1)), np.nan)
    for (i, j), share in picture.shares.items():
        shares[j, i] = min(share, 1.0)  # it is a sum of probabilities, rounded
    axes.imshow(shares, cmap=COLOURS, vmin=0, vmax=BLACK, aspect="auto", gid="cells")
    for (j, i), share in np.ndenumerate(shares):
        if share < 0.995:
            dark = style.lightness(COLOURS(share / BLACK)) < DARK
            words = f"{share:.2f}" if share >= 0.005 else "< 0.01"
            axes.text(i, j, words, ha="center", va="center", fontsize=style.SMALL,
                      color="white" if dark else style.INK, gid=f"s{i + 1}-y{j + 1}")  # fmt: skip
    causes = [f"$s_{{{i + 1}}}$" for i in range(len(family.hidden))]
    axes.xaxis.tick_top()
    axes.set_xticks(
        range(len(causes)), causes, fontsize=style.MEDIUM, math_fontfamily="dejavuserif"
    )
    axes.set_yticks(range(len(names)), names, linespacing=1.0, parse_math=False)
    axes.set_xticks(np.arange(shares.shape[1] + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(names) + 1) - 0.5, minor=True)
    axes.tick_params(which="both", length=0)
    axes.grid(which="minor", color=style.GRID, lw=0.8)
    axes.spines[:].set_visible(False)


def _caption(links: ProbableLinks) -> str:
    causes = f"states of the causes {states(links.causes)}" if links.causes else "no cause"
    return (
        f"{causes}: probability {links.probability:.2g}\n"
        f"best structure {links.best}: {links.best_probability:.2g},\n"
        f"{links.best_parameters} free parameters"
    )


def _most_lines(texts: Iterable[str]) -> int:
    return max(text.count("\n") + 1 for text in texts)
