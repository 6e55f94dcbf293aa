"""Figure 1 (right) of the paper: the scores of all structures at one number of cases."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from latentdag.drawing import layout, style
from latentdag.ranking.trust import most_trusted
from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.study.one_draw.at_one_size import all_scores

HEIGHT = 2.5  # inches, of a row of panels with its labels
NARROWEST = 0.8  # inches, of a panel
NEAR = 20.0  # nats beyond the most trusted score, up to which a score is drawn larger, too
LINE = 1.3 * style.SMALL  # points, of a line of words above a panel
FADED = 0.4  # opacity of bars, which lie behind all points
ENLARGED = "#efefef"
TITLE = {"loc": "left", "fontsize": style.MEDIUM, "fontweight": "bold"}
TRUE = {"ls": "none", "marker": "D", "mfc": "none", "mec": style.TRUTH, "mew": 1.3, "ms": 8.0}


@style.styled
def scores(
    scores: pd.DataFrame,
    structures: pd.DataFrame,
    n: int,
    draw: int = 0,
    width: float = layout.WIDTH,
) -> Figure:
    """A figure of the ``scores`` of all structures in ``draw`` at ``n`` cases (nats), those of
    `latentdag.study.schema.evidence.join_evidence`, against their number of free parameters in the
    table ``structures``, a panel for each score.

    The panels share one linear axis. Where some scores lie farther than 20 nats from all values of
    the most trusted score, further panels show the others alone, on a linear axis of their own. The
    best structure of a score is drawn large and named above its panel; the true one has a diamond.
    Structures with the same number of parameters stand side by side, each at one place for all
    scores. Bars are one standard error on both sides. Where no structure is known to be true, the
    MAP likelihood is left out. The figure is ``width`` inches wide.
    """
    at_n = scores[(scores["draw"] == draw) & (scores["n"] == n)].dropna(subset="score")
    if "is_true" not in structures:  # of own data: a likelihood far above all others says nothing
        at_n = at_n[~at_n["method"].isin(m for m, s in SPECS.items() if s.side == Side.FIT)]
    methods = style.shown(at_n, f"scores table at n = {n} of draw {draw}", "scores")
    guide = most_trusted(methods)
    at_n = at_n[at_n["method"].isin(methods)]
    values, errors, best, about, true = all_scores(at_n, structures, guide)
    low, high = values[guide].min() - NEAR, values[guide].max() + NEAR
    near = [m for m in methods if low <= values[m].min() and values[m].max() <= high]
    groups = [methods] if near == methods else [methods, near]
    figure, rows = _panels(groups, width)
    of_draw = f", draw {draw}" if len(set(scores["draw"])) > 1 else ""
    names = [f"log score (nats)\nat n = {n}{of_draw}", "the same,\nenlarged (nats)"]
    for number, (group, panels) in enumerate(zip(groups, rows, strict=True)):
        for method, axes in zip(group, panels, strict=True):
            x = _side_by_side(axes, about, true)
            of_score = pd.DataFrame({"x": x, "score": values[method], "error": errors[method]})
            _draw_points(axes, method, of_score.dropna(subset="score"), best[method], number)
            if true is not None:
                _mark_true(axes, x[true], values.loc[true, method], f"true structure {true}")
        _share_axis(panels, values[group], names[number])
    _name(methods, rows[0], best)
    for axes in rows[0] if near != methods else ():
        axes.axhspan(*rows[1][0].get_ylim(), color=ENLARGED, lw=0, zorder=0.1, gid="enlarged",
                     label="enlarged below")  # fmt: skip
    same = f"structures with the same d ordered by {SPECS[guide].label}"
    name = f"number of free parameters d ({same})"
    figure.supxlabel(layout.wrapped(name, width - 0.2, style.MEDIUM))
    first = rows[0][0]
    first.plot([], [], ls="none", marker="o", ms=6, mfc="none", mec=style.INK, mew=1.3,
               label="best structure of the score, large")  # fmt: skip
    if (errors > 0).any(axis=None):
        first.plot([], [], ls="none", marker="|", ms=9, mew=0.7, color=style.INK, alpha=FADED,
                   label="± 1 standard error")  # fmt: skip
    layout.add_legend(figure, handlelength=1.3)
    return figure


def _panels(groups: Sequence[Sequence[str]], width: float) -> tuple[Figure, list[list[Axes]]]:
    """A page with rows of panels, and its panels by group: those of a group are equally wide."""
    most = max(1, int((width - 0.7) / NARROWEST))
    rows = [part for group in groups for part in _rows(group, most)]
    figure = layout.page(HEIGHT * len(rows), width)
    grid = figure.add_gridspec(len(rows), np.lcm.reduce([len(row) for row in rows]))
    panels_by_group, number = [], 0
    for group in groups:
        panels = []
        for row in _rows(group, most):
            wide = grid.ncols // len(row)
            panels += [figure.add_subplot(grid[number, k * wide : (k + 1) * wide])
                       for k in range(len(row))]  # fmt: skip
            number += 1
        panels_by_group.append(panels)
    return figure, panels_by_group


def _rows(group: Sequence[str], most: int) -> list[list[str]]:
    return [part.tolist() for part in np.array_split(group, -(-len(group) // most))]


def _side_by_side(axes: Axes, about: pd.DataFrame, true: str | None) -> pd.Series:
    """The x axis, and the place of each structure: beside others with as many parameters."""
    sizes = np.unique(about["n_parameters"])
    pitch = np.diff(sizes).min() if len(sizes) > 1 else 4.0  # of the closest two columns
    reach = sizes[-1] - sizes[0]
    room = pitch / 2 + 0.06 * reach
    axes.set_xlim(sizes[0] - room, sizes[-1] + room)
    ticks = {sizes[0], sizes[-1]}
    if true is not None:  # its label needs room
        of_true = about.loc[true, "n_parameters"]
        ticks = {of_true, *(end for end in ticks if abs(end - of_true) > 0.2 * reach)}
    axes.set_xticks(sorted(ticks))
    axes.set_xticks(sizes, minor=True)
    return about["n_parameters"] + 0.8 * pitch / max(2 * about["aside"].max(), 1) * about["aside"]


def _draw_points(axes: Axes, method: str, points: pd.DataFrame, best: str, row: int) -> None:
    """A score's ``points`` (x, score, error by structure) with bars, and the best one large."""
    look = SPECS[method].look
    axes.set_title(SPECS[method].label, **TITLE, pad=3)
    small = {"ls": "none"} | style.marker(look, 0.6)
    large = small | {"ms": look.size + 3.5, "mec": style.INK, "mew": 1.3}
    axes.plot(points["x"], points["score"], **small, zorder=3, gid=f"scores-{method}-{row}")
    axes.plot(*points.loc[[best], ["x", "score"]].T.to_numpy(), **large, zorder=4,
              gid=f"best-{method}-{row}")  # fmt: skip
    error = points["error"].fillna(0.0)
    ends = zip(points["x"], points["score"] - error, points["score"] + error, strict=True)
    bars = LineCollection([[(at, low), (at, high)] for at, low, high in ends], lw=0.7, alpha=FADED,
                          color=look.colour, zorder=1.5, gid=f"errors-{method}-{row}")  # fmt: skip
    # the points set the limits: a bar that is longer goes to the frame
    axes.add_collection(bars, autolim=False)


def _mark_true(axes: Axes, x: float, value: float, words: str) -> None:
    """A line at the true structure's place, and a diamond about its score, if it has one."""
    axes.axvline(x, color=style.TRUTH, lw=0.8, ls=(0, (1, 2)), zorder=1, gid="true-x")
    axes.plot([x], [value], **TRUE, zorder=7, gid="true", label=words)


def _name(methods: Sequence[str], panels: Sequence[Axes], best: pd.Series) -> None:
    """The best structure of each score, between its title and its panel."""
    across = (panels[0].figure.get_figwidth() - 0.7) / panels[0].get_gridspec().ncols
    across *= len(panels[0].get_subplotspec().colspan)
    words = [layout.wrapped(f"best {best[m]}", across - 0.2) for m in methods]
    room = LINE * max(text.count("\n") + 1 for text in words)
    for text, axes in zip(words, panels, strict=True):
        axes.set_title(axes.get_title("left"), **TITLE, pad=6 + room)
        axes.annotate(text, (0, 1), (0, 2 + room), "axes fraction", textcoords="offset points",
                      va="top", fontsize=style.SMALL, gid="best")  # fmt: skip


def _share_axis(panels: Sequence[Axes], values: pd.DataFrame, name: str) -> None:
    """One linear y axis for all panels, which holds all ``values``."""
    low, high = values.min(axis=None), values.max(axis=None)
    room = 0.06 * max(high - low, 1.0)
    for axes in panels:
        axes.set_ylim(low - room, high + room)
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.yaxis.set_major_formatter("{x:g}")
        layout.grid(axes)
    layout.share_labels(panels, name)
