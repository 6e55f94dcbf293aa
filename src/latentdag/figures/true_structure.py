"""Figure 1 (left) of the paper: the network that made the data."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import graph, style
from latentdag.model.structures import Family, Structure

WORDS = 1.1  # inches left of the graph, for what its rows are


@style.styled
def true_structure(structure: Structure) -> Figure:
    """A figure of ``structure`` as a graph, hidden variables above observed ones, with numbers of
    values.
    """
    family = structure.family
    width = WORDS + graph.width(family) + 0.1
    height = graph.rise(family) + 1.2 + (0.2 if len(set(family.hidden)) > 1 else 0.0)
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(-WORDS, width - WORDS), ylim=(-0.8, height - 0.8))
    axes.set_axis_off()
    graph.draw(axes, structure)
    _name_row(axes, "hidden", family.hidden, family, graph.rise(family), side=1)
    _name_row(axes, "observed", family.observed, family, 0.0, side=-1)
    links = "1 link" if structure.n_links == 1 else f"{structure.n_links} links"
    caption = f"{structure.label}: {links}, {structure.n_parameters} free parameters"
    axes.text(width / 2 - WORDS, -0.62, caption, ha="center", va="center", fontsize=7.5)
    return figure


def _name_row(
    axes: Axes, name: str, row: tuple[int, ...], family: Family, y: float, side: int
) -> None:
    """What a row of variables is, and how many values each has: in words left of the row where all
    have as many, else above (``side`` 1) or below (-1) each variable.
    """
    if not row:
        return
    if len(set(row)) == 1:
        name += f",\n{row[0]} values" + (" each" if len(row) > 1 else "")
    else:
        for i, values in enumerate(row):
            x = graph.place(i, row, family)
            axes.text(x, y + side * (graph.RADIUS + 0.12), f"{values} values", ha="center",
                      va="center", fontsize=style.SMALL)  # fmt: skip
    axes.text(-WORDS + 0.1, y, name, ha="left", va="center")
