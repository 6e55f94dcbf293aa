"""Figure 1 (right) of the paper: the scores of all structures at one number of cases."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.ranking.trust import most_trusted
from latentdag.scores import SPECS
from latentdag.scores.base import Side
from latentdag.study.one_draw.at_one_size import all_scores

HEIGHT = 4.9  # inches, of the plot with its labels
KEY = 2.5  # inches, of a legend's words
FADED = 0.4  # opacity of bars, which lie behind all points


@style.styled
def scores(
    scores: pd.DataFrame,
    structures: pd.DataFrame,
    n: int,
    draw: int = 0,
    width: float = layout.WIDTH,
) -> Figure:
    """The scores of all structures at ``n`` cases (nats), those of
    `latentdag.study.schema.evidence.join_evidence`, against their number of free parameters.

    Each score's best structure is drawn large. From the scores of the true structure, lines lead to
    their names at the right. Structures with the same number of parameters stand side by side, each
    at one place for all scores. The axis is linear near the best score of the most trusted, and
    logarithmic far from it. Where no structure is known to be true, the MAP likelihood is left out.
    The figure is ``width`` inches wide.
    """
    here = scores[(scores["draw"] == draw) & (scores["n"] == n)].dropna(subset="score")
    if "is_true" not in structures:  # of own data: a likelihood far above all others says nothing
        here = here[~here["method"].isin(m for m, s in SPECS.items() if s.side == Side.FIT)]
    methods = style.shown(here, f"scores table at n = {n} of draw {draw}", "scores")
    guide = most_trusted(methods)
    here = here[here["method"].isin(methods)]
    values, errors, best, about, true = all_scores(here, structures, guide)
    figure = layout.page(HEIGHT, width)
    axes = figure.add_subplot()
    x = _side_by_side(axes, about)
    same = f"structures with the same d ordered by {SPECS[guide].label}"
    name = f"number of free parameters d ({same})"
    axes.set_xlabel(layout.wrapped(name, width - layout.BESIDE, style.MEDIUM))
    of_draw = f", draw {draw}" if len(set(scores["draw"])) > 1 else ""
    for method in methods:
        of_score = pd.DataFrame({"x": x, "score": values[method], "error": errors[method]})
        _draw_points(axes, method, of_score.dropna(subset="score"), best[method])
    layout.linear_near(axes, values[guide].max(), f"log score at n = {n}{of_draw} (nats)")
    named = []
    if true is not None:
        words = f"true structure {true}, d = {about.loc[true, 'n_parameters']}"
        axes.annotate(words, (x[true], 1), (0, 2), xycoords=("data", "axes fraction"), ha="center",
                      textcoords="offset points", fontsize=style.SMALL)  # fmt: skip
        named = _mark_true(axes, x[true], values.loc[true, methods].dropna())
    if (errors > 0).any(axis=None):
        axes.plot([], [], ls="none", marker="|", ms=9, mew=0.7, color=style.INK, alpha=FADED,
                  label="± 1 standard error")  # fmt: skip
    layout.add_legend(figure, stack=2, handlelength=1.3)
    layout.name_values(axes, named, start=None if true is None else x[true])
    return figure


def _side_by_side(axes: Axes, about: pd.DataFrame) -> pd.Series:
    """The x axis, and the place of each structure: beside others with as many parameters."""
    sizes = np.unique(about["n_parameters"])
    pitch = np.diff(sizes).min() if len(sizes) > 1 else 4.0  # of the closest two columns
    layout.ticks_at(axes, sizes, (sizes[0] - 0.75 * pitch, sizes[-1] + 0.75 * pitch))
    return about["n_parameters"] + 0.8 * pitch / max(2 * about["aside"].max(), 1) * about["aside"]


def _draw_points(axes: Axes, method: str, points: pd.DataFrame, best: str) -> None:
    """A score's ``points`` (x, score, error by structure) with bars, and the best one large."""
    look = style.looks()[method]
    depth = style.marker_depth(look)
    small = {"ls": "none"} | style.marker(look, 0.75)
    large = small | {"ms": 1.2 * look.size + 3.5, "mec": style.INK, "mew": 1.5}
    axes.plot(points["x"], points["score"], **small, zorder=3 + depth, gid=f"scores-{method}",
              label=SPECS[method].label)  # fmt: skip
    axes.plot(*points.loc[best, ["x", "score"]], **large, zorder=6 + depth, gid=f"best-{method}",
              label=layout.wrapped(f"best, {best}", KEY, 7.5))  # fmt: skip
    error = points["error"].fillna(0.0)
    ends = zip(points["x"], points["score"] - error, points["score"] + error, strict=True)
    bars = LineCollection([[(at, low), (at, high)] for at, low, high in ends], lw=0.7, alpha=FADED,
                          color=look.colour, zorder=1.5, gid=f"errors-{method}")  # fmt: skip
    # the points set the limits: a bar that is longer goes to the frame
    axes.add_collection(bars, autolim=False)


def _mark_true(axes: Axes, x: float, values: pd.Series) -> list[layout.Named]:
    """A line at the true structure's place, and a ring about each score. Returns their names."""
    axes.axvline(x, color=style.INK, lw=0.8, ls=(0, (1, 2)), zorder=1, gid="true-x")
    axes.plot([x] * len(values), values, ls="none", marker="D", mfc="none", mec=style.INK, mew=0.8,
              ms=9.5, zorder=7, gid="true", label="true structure")  # fmt: skip
    looks = style.looks()
    return [
        layout.Named(value, SPECS[m].label, looks[m].colour, style.marker(looks[m]))
        for m, value in values.items()
    ]
