"""The links of the most probable structures of a table of one's own, as graphs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.figures import graph, layout, style
from latentdag.figures.style import SMALL
from latentdag.model.structures import Family
from latentdag.study.own_data.marginals import ProbableLinks, most_probable_links
from latentdag.study.schema.candidates import by_name, states, variable_names

MOST, COLUMNS = 6, 2  # graphs on the page, at most; side by side
WIDEST = 9.0  # inches, of a page with graphs side by side
LINE = 0.115  # inches, of a variable's name
SIZE = 8.0  # points, of a caption


@style.styled
def best_structures(
    posterior: pd.DataFrame,
    structures: pd.DataFrame,
    variables: pd.DataFrame,
    observed: Sequence[int],
    method: str,
    draw: int = 0,
) -> Figure:
    """The links of the most probable structures by ``method``: one graph for each set of causes,
    the most probable first, as many as make up 99 % of the probability, and six at most. An arrow
    is the darker, the more probable the link is, given these causes. Sets of causes whose graphs
    look alike, as they differ in numbers of states alone, share a graph.

    Causes are counted by class of equal distributions: a cause of one variable explains no
    association, and is absorbed. Reads draw, structure, method, probability of the posterior table,
    which has one n per draw; structure, hidden of the structures table, and variable, name of the
    variables table. ``observed`` are the variables' cardinalities. Raises ValueError if the method
    is not in the table.
    """
    masses = posterior[(posterior["method"] == method) & (posterior["draw"] == draw)]
    if masses.empty:
        raise ValueError(f"the posterior table has no {method} of draw {draw}")
    mass = masses.set_index("structure")["probability"]
    known = by_name(structures[structures["structure"].isin(mass.index)], observed)
    shown = most_probable_links(mass, known, MOST)
    alike: dict[tuple, list[ProbableLinks]] = {}
    for own in shown:
        alike.setdefault(_look(own), []).append(own)
    captions = [
        "\n".join(_caption(own, known[own.best].n_parameters) for own in group)
        for group in alike.values()
    ]
    widest = max((own.links.family for own in shown), key=graph.width)
    room = graph.PITCH - 0.08
    names = [
        layout.wrapped(name.replace("_", " "), room).split("\n")
        for name in variable_names(variables)
    ]
    below = 0.45 + LINE * max(map(len, names))  # the graph, for its names
    words = max(layout.text_width(line, SIZE) for c in captions for line in c.split("\n"))
    lines = max(caption.count("\n") + 1 for caption in captions)
    height = below + graph.rise(widest) + 0.4 + 0.15 * lines
    panel = np.array([max(graph.width(widest), words) + 0.2, height])
    columns = min(COLUMNS, len(alike), max(1, int(WIDEST / panel[0])))
    rows = -(-len(alike) // columns)
    figure = Figure(figsize=panel * (columns, rows))
    for k, ((own, *_), caption) in enumerate(zip(alike.values(), captions, strict=True)):
        left, bottom = panel * (k % columns, rows - 1 - k // columns)
        width = graph.width(own.links.family)
        aside = (panel[0] - width) / 2
        axes = layout.add_axes(figure, layout.Box(left, bottom, *panel))
        axes.set(xlim=(-aside, panel[0] - aside), ylim=(-below, panel[1] - below))
        axes.set_axis_off()
        graph.draw(axes, own.links, own.shares)
        _name(axes, names, own.links.family)
        axes.text(width / 2, panel[1] - below - 0.05, caption, ha="center", va="top",
                  fontsize=SIZE, gid="caption")  # fmt: skip
    return figure


def _look(own: ProbableLinks) -> tuple:
    """What a graph shows, to a tenth of its links' probabilities."""
    return own.links.parents, tuple(sorted((link, round(p, 1)) for link, p in own.shares.items()))


def _caption(own: ProbableLinks, n_parameters: int) -> str:
    causes = f"states of the causes {states(own.causes)}" if own.causes else "no cause"
    return (
        f"{causes}: probability {own.probability:.2g}\n"
        f"best structure {own.best}: {own.best_probability:.2g},\n"
        f"{n_parameters} free parameters"
    )


def _name(axes: Axes, names: list[list[str]], family: Family) -> None:
    """The names of the observed variables under their circles."""
    for j, lines in enumerate(names):
        for i, line in enumerate(lines):
            y = -graph.RADIUS - 0.17 - LINE * i
            axes.text(graph.place(j, family.observed, family), y, line, ha="center", va="baseline",
                      fontsize=SMALL, parse_math=False, gid=f"name-y{j + 1}")  # fmt: skip
