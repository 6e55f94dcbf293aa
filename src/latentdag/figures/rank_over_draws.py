"""The rank of the true structure over many draws: Figure 2 (left) of the paper, for each score."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from latentdag.figures import layout, over_draws, style
from latentdag.figures.rank import rank_axis
from latentdag.figures.style import INK

HEIGHT, ABREAST = 1.75, 4  # inches, of a panel; panels side by side, at most
# bands over the draws, by the columns of their ends: what they hold, and their colour
BANDS = {
    ("rank_10", "rank_90"): ("10 to 90 %", "#e4e4e4"),
    ("rank_25", "rank_75"): ("middle half", "#b9b9b9"),
}
MEDIAN = {"color": INK, "lw": 1.6}
JUDGE = {"color": INK, "lw": 0.8, "ls": (0, (2, 1.5))}  # the most trustworthy score's median


@style.styled
def rank_over_draws(population: pd.DataFrame, structures: pd.DataFrame) -> Figure:
    """The rank of the true structure (1, the best, on top) against the number of cases n, a panel
    for each score: the median over draws, in bands that hold half of the draws and four fifths.

    Reads n, by, method, draws, rank_10, rank_25, rank_50, rank_75, rank_90 of the population table,
    of its rows by structure; the rows of the structures table give the last rank. The median of the
    most trustworthy score is in every other panel, too. Raises ValueError if the table has no score
    of this figure.
    """
    by_structure = population[population["by"] == "structure"].set_index("n").sort_index()
    specs = over_draws.drawn(by_structure["method"])
    if not specs:
        raise ValueError("no score of this figure in the population table")
    judge = max(specs, key=style.trust)
    tables = {spec.name: by_structure[by_structure["method"] == spec.name] for spec in specs}
    last = len(structures)
    keys = _keys(by_structure, judge.label if len(specs) > 1 else None)
    figure, panels = layout.panels([spec.title for spec in specs], keys, HEIGHT, ABREAST)
    for spec, (box, title) in zip(specs, panels, strict=True):
        axes = layout.add_axes(figure, box)
        layout.decades(axes, np.unique(by_structure.index))
        rank_axis(axes, last)
        layout.label_leftmost(axes, box, f"rank (of {last})")
        layout.head(axes, title)
        table = tables[spec.name]
        for (low, high), (_, colour) in BANDS.items():
            axes.fill_between(table.index, table[low].astype(float), table[high].astype(float),
                              lw=0, zorder=1, gid=f"band-{spec.name}", color=colour)  # fmt: skip
        if spec is not judge:
            other = tables[judge.name]["rank_50"]
            axes.plot(other.index, other, zorder=4, gid=f"judge-{spec.name}", **JUDGE)
        axes.plot(table.index, table["rank_50"], zorder=3, gid=f"median-{spec.name}", **MEDIAN)
    layout.name_across(figure, panels, "number of cases n")
    return figure


def _keys(table: pd.DataFrame, judge: str | None) -> list[tuple]:
    keys = [
        (Line2D([], [], **MEDIAN, label=f"median of {over_draws.draws_of(table)}"),),
        *((Patch(color=colour, label=label),) for label, colour in reversed(BANDS.values())),
    ]
    if judge is not None:
        keys.append((Line2D([], [], **JUDGE, label=f"median of the {judge}"),))
    return keys
