"""Figure 2 (left) of the paper: the rank of the true structure at every number of cases."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band
from latentdag.ranking.trust import most_trusted
from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.study.paper.numbers import PAPER

HEIGHT, NARROWEST = 2.1, 1.5  # inches, of a panel with its labels
ENDS = ("rank", "rank_low", "rank_high")
MARK = {"color": style.TRUTH, "lw": 0.9, "ls": (0, (1, 2)), "zorder": 1.5}
# cases from which the paper's true structure is first by a score
IN_PAPER = {"bic": PAPER.bic_from, "vb": PAPER.vb_from, "ais": PAPER.ais_first}


@style.styled
def rank(ranks: pd.DataFrame, structures: pd.DataFrame, width: float = layout.WIDTH) -> Figure:
    """A figure, from the table ``ranks``: the rank of the true structure (1, the best, on top)
    against the number of cases n, a panel for each score.

    The rows of the structures table give the last rank. A band goes from rank_low to rank_high
    where they differ. The rank by the evidence is in every panel, too, if the table has it. A
    dotted line is at the size from which the score finds the true structure in the paper. The
    figure is ``width`` inches wide.
    """
    methods = style.shown(ranks, "ranks table", "rank")
    judge = most_trusted(methods)
    shown = ranks[ranks["method"].isin(methods)]
    of_judge = shown[shown["method"] == judge].set_index("n")["rank"].sort_index()
    columns = layout.columns_of(len(methods), max(1, int(width / NARROWEST)))
    titles = [SPECS[m].label for m in methods]
    figure, panels = layout.panels(titles, HEIGHT, columns, width)
    for method, axes in zip(methods, panels, strict=True):
        layout.decades(axes, shown["n"])
        rank_axis(axes, len(structures))
        if method != judge and SPECS[judge].side == Side.EVIDENCE:
            words = f"rank by the {SPECS[judge].label}"
            band.draw_judge(axes, judge, of_judge, method, words)
        band.draw(axes, method, shown[shown["method"] == method], ENDS, label="_", scale=0.75)
        if shown["n"].min() <= IN_PAPER.get(method, 0) <= shown["n"].max():
            words = "found from this size on in the paper"
            axes.axvline(IN_PAPER[method], **MARK, gid=f"paper-{method}", label=words)
    if (shown["rank_low"] < shown["rank_high"]).any():
        band.explain(panels[0], "90 % of the ranks that the scores' Monte Carlo errors allow")
    layout.share_labels(panels, f"rank (of {len(structures)})")
    return layout.finished(figure, "number of cases n")


def rank_axis(axes: Axes, last: int) -> None:
    """Give ``axes`` a y axis of ranks with 1, the best, on top, down to ``last``. It is between
    linear and logarithmic: the first ranks keep their distance, the last are not squeezed into
    nothing.
    """
    to_height = (lambda rank: np.log(np.maximum(rank, -1.9) + 2), lambda height: np.exp(height) - 2)
    axes.set_yscale("function", functions=to_height)
    marks = [r for r in (10**k * f for k in range(9) for f in (1, 2, 5)) if 1.25 * r < last]
    axes.set_yticks([*marks, last])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(1.12 * last, 0.6)
    layout.grid(axes)
