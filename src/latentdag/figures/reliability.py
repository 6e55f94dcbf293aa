"""Whether what a score calls probable comes true as often. The paper has no such figure."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from latentdag.figures import layout, over_draws, style
from latentdag.figures.style import FAINT, INK, SMALL
from latentdag.scores.base import Look
from latentdag.study.one_draw.sizes import nearest_size

HEIGHT, ABREAST = 1.3, 4  # inches, of a panel; panels side by side, at most
WORDS = {"structure": "structures", "shared cause": "pairs that share a cause"}
DIAGONAL = {"color": FAINT, "lw": 0.8, "zorder": 1}
BAR = {"ls": "none", "elinewidth": 0.8, "capsize": 1.5, "ecolor": INK, "zorder": 2}


@style.styled
def reliability(reliability: pd.DataFrame, n: int) -> Figure:
    """How often what a score gives probability p is true, against p, at ``n`` cases, or where the
    table has no such size, at the nearest to it by ratio.

    Reads n, method, what, bin, number, mean_probability, share_true, low, high of the reliability
    table: a panel for each score, for statements about structures and about pairs of observed
    variables that share a cause. A point stands for the statements of one tenth of the
    probabilities, with its 95 % interval. Raises ValueError if the table has no score of this
    figure.
    """
    specs = over_draws.drawn(reliability["method"])
    if not specs:
        raise ValueError("no score of this figure in the reliability table")
    n = nearest_size(reliability["n"], n)
    here = reliability[(reliability["n"] == n) & (reliability["number"] > 0)]
    here = here.set_index("bin").sort_index()
    looks = style.looks()
    specs = sorted(specs, key=style.trust, reverse=True)
    whats = [what for what in WORDS if what in set(here["what"])]
    columns = -(-len(specs) // -(-len(specs) // ABREAST))
    rows = [*specs, *[None] * (-len(specs) % columns)]  # each statement begins a row
    places = [(what, spec) for what in whats for spec in rows]
    titles = ["" if spec is None else spec.label for _, spec in places]
    figure, panels = layout.panels(titles, _keys(n), HEIGHT, columns)
    for (what, spec), (box, title) in zip(places, panels, strict=True):
        if spec is None:
            continue
        axes = layout.add_axes(figure, box)
        bins = here[(here["method"] == spec.name) & (here["what"] == what)]
        _draw(axes, f"{what}-{spec.name}", looks[spec.name], bins)
        layout.head(axes, title)
        layout.label_leftmost(axes, box, f"share true of\n{WORDS[what]}", SMALL)
    layout.name_across(figure, panels, "probability that the score gives")
    return figure


def _keys(n: int) -> list[tuple]:
    words = f"a tenth of the probabilities at n = {n}; {over_draws.INTERVAL}"
    point = Line2D([], [], ls="none", marker="o", ms=4, color=INK, label=words)
    return [(point,), (Line2D([], [], **DIAGONAL, label="as often as the score says"),)]


def _draw(axes: Axes, name: str, look: Look, bins: pd.DataFrame) -> None:
    """The points of one panel with their intervals, and the diagonal, on which they should lie."""
    axes.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator([0, 0.5, 1]))
        axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.plot([0, 1], [0, 1], **DIAGONAL)
    x, share = bins["mean_probability"], bins["share_true"]
    below, above = (share - bins["low"]).clip(lower=0), (bins["high"] - share).clip(lower=0)
    axes.errorbar(x, share, [below, above], **BAR)
    axes.plot(x, share, ls="none", **style.marker(look), zorder=3, gid=f"share-{name}")
