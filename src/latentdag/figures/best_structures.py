"""The most probable structures of a table of one's own, as graphs."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from latentdag.figures import graph, style
from latentdag.figures.style import SMALL
from latentdag.structures import Family, Structure

MOST, COLUMNS = 6, 2  # graphs on the page, at most; side by side


@style.styled
def best_structures(
    posterior: pd.DataFrame, variables: pd.DataFrame, family: Family, method: str, draw: int = 0
) -> Figure:
    """The structures that have the highest posterior probability by ``method``, the most probable
    first.

    Reads draw, structure, method, probability of the posterior table, which has one n per draw,
    and variable, name of the variables table. Raises ValueError if the method is not in the table.
    """
    own = posterior[(posterior["method"] == method) & (posterior["draw"] == draw)]
    if own.empty:
        raise ValueError(f"the posterior table has no {method} of draw {draw}")
    best = own.sort_values("probability", ascending=False, kind="stable").head(MOST)
    names = variables.drop_duplicates("variable").sort_values("variable")["name"]
    names = [name.replace("_", "\n").replace(" ", "\n") for name in names]
    below = 0.45 + 0.11 * (max(name.count("\n") for name in names) + 1)  # the graph: its names
    panel = np.array([graph.width(family) + 0.2, below + graph.RISE + 0.65])
    columns = min(COLUMNS, len(best))
    rows = -(-len(best) // columns)
    figure = Figure(figsize=panel * (columns, rows))
    for k, (label, probability) in enumerate(
        zip(best["structure"], best["probability"], strict=True)
    ):
        left, bottom = panel * (k % columns, rows - 1 - k // columns)
        axes = style.add_axes(figure, style.Box(left, bottom, *panel))
        axes.set(xlim=(-0.1, panel[0] - 0.1), ylim=(-below, panel[1] - below))
        axes.set_axis_off()
        structure = Structure.from_label(label, family)
        graph.draw(axes, structure, childless=False)
        for j, name in enumerate(names):
            x = graph.place(j, family.observed, family)
            axes.text(x, -graph.RADIUS - 0.08, name, ha="center", va="top", fontsize=SMALL,
                      linespacing=1.1)  # fmt: skip
        caption = f"{label}, d = {structure.n_parameters}: probability {probability:.2g}"
        axes.text(panel[0] / 2 - 0.1, panel[1] - below - 0.14, caption, ha="center", va="center",
                  fontsize=8.0, gid="caption")  # fmt: skip
    return figure
