"""Whether what a score calls probable comes true as often. The paper has no such figure."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.drawing.style import FAINT, INK, SMALL
from latentdag.figures import band
from latentdag.ranking.trust import trust
from latentdag.scores import SPECS
from latentdag.scores.base import Look
from latentdag.study.one_draw.sizes import nearest_size

HEIGHT, ABREAST = 1.65, 4  # inches, of a panel with its labels; panels side by side, at most
WORDS = {"structure": "structures", "shared cause": "pairs that share a cause"}
BAR = {"ls": "none", "elinewidth": 0.8, "capsize": 1.5, "ecolor": INK, "zorder": 2}


@style.styled
def reliability(reliability: pd.DataFrame, n: int) -> Figure:
    """A figure, from the table ``reliability``: how often what a score gives probability p is true,
    against p, at ``n`` cases, or where the table has no such size, at the nearest to it by ratio.

    Each score has a panel for statements about structures, and one for those about pairs of
    observed variables that share a cause. A point stands for the statements with probabilities in
    one interval of width 0.1, and has the 95 % interval of the share that is true.
    """
    methods = style.shown(reliability, "reliability table", *style.OVER_DRAWS)
    n = nearest_size(reliability["n"], n)
    at_n = reliability[(reliability["n"] == n) & (reliability["number"] > 0)]
    at_n = at_n.set_index("bin").sort_index()
    methods = sorted(methods, key=trust, reverse=True)
    whats = [what for what in WORDS if what in set(at_n["what"])]
    columns = layout.columns_of(len(methods), ABREAST)
    titles = [SPECS[m].label for m in methods] + [None] * (-len(methods) % columns)
    # each statement begins a row
    figure, panels = layout.panels(titles * len(whats), HEIGHT, columns)
    words = f"probabilities in an interval of 0.1, n = {n}; {band.INTERVAL}"
    panels[0].plot([], [], ls="none", marker="o", ms=4, color=INK, label=words)
    places = [(what, method) for what in whats for method in methods]
    for (what, method), axes in zip(places, panels, strict=True):
        bins = at_n[(at_n["method"] == method) & (at_n["what"] == what)]
        _draw(axes, f"{what}-{method}", SPECS[method].look, bins)
        layout.share_labels([axes], f"share true of\n{WORDS[what]}", SMALL)
    return layout.finished(figure, "probability that the score gives")


def _draw(axes: Axes, name: str, look: Look, bins: pd.DataFrame) -> None:
    """The points of one panel with their intervals, and the diagonal, on which they should lie."""
    layout.probabilities(axes, margin=0.04)
    axes.plot([0, 1], [0, 1], color=FAINT, lw=0.8, zorder=1, label="as often as the score says")
    x, share = bins["mean_probability"], bins["share_true"]
    below, above = (share - bins["low"]).clip(lower=0), (bins["high"] - share).clip(lower=0)
    axes.errorbar(x, share, [below, above], **BAR)
    axes.plot(x, share, ls="none", **style.marker(look), zorder=3, gid=f"share-{name}")
