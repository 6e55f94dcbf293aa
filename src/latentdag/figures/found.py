"""In how many draws each score has found the true structure for good, against the number of cases.
The paper, with one draw, has no such figure: its answers are marked.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from latentdag.figures import layout, over_draws, style
from latentdag.figures.style import INK, SMALL, TRUTH
from latentdag.study.paper.claims_held import at_the_papers_sizes

HEIGHT, ABREAST = 1.45, 4  # inches, of a panel; panels side by side, at most
SHARE = {"color": "#1f5fa8", "lw": 1.8}
BAND = {"color": "#1f5fa8", "alpha": 0.2, "lw": 0}
JUDGE = {"color": INK, "lw": 0.9, "ls": (0, (2, 1.5))}  # the most trustworthy score's share
MARK = {"color": TRUTH, "lw": 1.0, "ls": (0, (1, 1.5)), "zorder": 1.2}


@style.styled
def found(found_share: pd.DataFrame, design: pd.DataFrame) -> Figure:
    """Share of draws in which each score puts the true structure first at n cases and at all larger
    sizes, against n: a panel for each score.

    Reads n, by, method, draws, share, low, high of the found_share table, of its rows by structure,
    and true_structure of the design. The share by the most trustworthy score is in every other
    panel, too. Where all draws are of one structure, as the paper's is, the panels of VB and BIC
    have the sizes that the paper found, and the share of draws that need no more. Raises ValueError
    if the table has no score of this figure.
    """
    by_structure = found_share[found_share["by"] == "structure"]
    specs = over_draws.drawn(by_structure["method"])
    if not specs:
        raise ValueError("no score of this figure in the found_share table")
    judge = max(specs, key=style.trust)
    lines = {
        spec.name: over_draws.line(
            by_structure[by_structure["method"] == spec.name], "share", "low", "high"
        )
        for spec in specs
    }
    of_one = len(set(design["true_structure"])) == 1
    papers = at_the_papers_sizes(by_structure) if of_one else pd.DataFrame()
    keys = _keys(judge.label if len(specs) > 1 else None, not papers.empty)
    figure, panels = layout.panels([spec.title for spec in specs], keys, HEIGHT, ABREAST)
    draws = over_draws.draws_of(by_structure)
    for spec, (box, title) in zip(specs, panels, strict=True):
        axes, line = layout.add_axes(figure, box), lines[spec.name]
        layout.decades(axes, np.unique(by_structure["n"]))
        over_draws.share_axis(axes)
        layout.grid(axes)
        layout.label_leftmost(axes, box, f"share of {draws}", SMALL)
        layout.head(axes, title)
        axes.fill_between(line.index, line["low"], line["high"], **BAND, zorder=1,
                          gid=f"band-{spec.name}")  # fmt: skip
        if spec is not judge:
            other = lines[judge.name]["middle"]
            axes.plot(other.index, other, zorder=2, gid=f"judge-{spec.name}", **JUDGE)
        axes.plot(line.index, line["middle"], zorder=3, clip_on=False, gid=f"line-{spec.name}",
                  **SHARE)  # fmt: skip
        if spec.name in papers.index:
            _mark(axes, papers.loc[spec.name])
    layout.name_across(figure, panels, "number of cases n")
    return figure


def _mark(axes: Axes, paper: pd.Series) -> None:
    """The size that the paper found, and the share of these draws that need no more."""
    n = int(paper["n"])
    axes.axvline(n, **MARK, gid=f"paper-{n}")
    axes.annotate(f"{100 * paper['share']:.0f} % by n = {n}", (n, 1), (-3, -2), ha="right",
                  va="top", xycoords=("data", "axes fraction"), textcoords="offset points",
                  fontsize=SMALL, color=TRUTH)  # fmt: skip


def _keys(judge: str | None, marked: bool) -> list[tuple]:
    keys = [
        (Line2D([], [], **SHARE, label="truth first at n and at every larger size"),),
        (Patch(**BAND, label=over_draws.INTERVAL),),
    ]
    if judge is not None:
        keys.append((Line2D([], [], **JUDGE, label=f"share by the {judge}"),))
    if marked:
        keys.append((Line2D([], [], **MARK, label="the paper's size"),))
    return keys
