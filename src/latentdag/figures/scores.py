"""Figure 1 (right) of the paper: the scores of all structures at one number of cases."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from latentdag.figures import layout, style
from latentdag.figures.style import INK, SMALL
from latentdag.scores.base import Look, Side, Spec
from latentdag.study.one_draw.at_one_size import all_scores

HEIGHT = 4.2  # inches, of the plot
RING = {"ls": "none", "marker": "D", "mfc": "none", "mec": INK, "mew": 0.8, "ms": 9.5}
KEY = 2.5  # inches, of a legend's words
BAR = {"alpha": 0.4, "zorder": 1.5}  # of a standard error: pale, behind all points


@style.styled
def scores(scores: pd.DataFrame, structures: pd.DataFrame, n: int, draw: int = 0) -> Figure:
    """The scores of all structures at ``n`` cases (nats) against their number of free parameters.

    Reads draw, n, structure, method, score, standard_error of the scores table
    `latentdag.study.schema.evidence.with_evidence`, and structure, n_parameters, is_true of the
    structures table. Each score's best structure is drawn large. From the scores of the true
    structure, lines lead to their names at the right. Structures with the same number of parameters
    stand side by side, each at one place for all scores. The axis is linear near the best score of
    the most trusted, and logarithmic far from it. Where no structure is known to be true, the MAP
    likelihood is left out. Raises ValueError if the table has no score of this figure for
    this draw and ``n``.
    """
    here = scores[(scores["draw"] == draw) & (scores["n"] == n)].dropna(subset="score")
    specs = style.drawn("scores", here["method"])
    if "is_true" not in structures:  # of own data: a likelihood far above all others says nothing
        specs = [spec for spec in specs if spec.side != Side.FIT]
    if not specs:
        raise ValueError(f"no score of this figure in the scores table at n = {n} of draw {draw}")
    looks = style.looks()
    here = here[here["method"].isin([spec.name for spec in specs])]
    guide = max(specs, key=style.trust)
    values, errors, best, about, true = all_scores(here, structures, guide.name)
    x = _side_by_side(about)

    keys = [_keys(looks[spec.name], spec.label, best[spec.name]) for spec in specs]
    others = _other_keys(true is not None, bool((errors > 0).any(axis=None)))
    names = [] if true is None else [spec.label for spec in specs]
    axes = _axes(np.unique(about["n_parameters"]), [keys, others], names)
    same = f"structures with the same d ordered by {guide.label}"
    axes.set_xlabel(f"number of free parameters d ({same})")
    of_draw = f", draw {draw}" if len(set(scores["draw"])) > 1 else ""
    for spec in specs:
        of_score = values[spec.name].dropna(), errors[spec.name], best[spec.name]
        _draw_points(axes, spec.name, looks[spec.name], x, *of_score)
    scale = layout.linear_near(axes, values[guide.name].max())
    name = f"log score at n = {n}{of_draw} (nats)"
    axes.set_ylabel("\n".join(filter(None, [name, scale])))
    if true is not None:
        _mark_true(axes, specs, looks, x[true], values.loc[true])
        words = f"true structure {true}, d = {about.loc[true, 'n_parameters']}"
        axes.annotate(words, (x[true], 1), (0, 2), xycoords=("data", "axes fraction"), ha="center",
                      textcoords="offset points", va="bottom", fontsize=SMALL)  # fmt: skip
    return axes.figure


def _axes(sizes: np.ndarray, legends: Sequence, names: Sequence[str]) -> Axes:
    """The axes of a new figure, with room for ``names`` at the right."""
    pad = 0.75 * _column_pitch(sizes)
    across = layout.Across(sizes, (sizes[0] - pad, sizes[-1] + pad), log=False)
    figure, (box,) = layout.page(
        [layout.Plot(HEIGHT, legends)],
        across,
        right=layout.margin_for(names) if names else layout.RIGHT,
        gap=0.28 if names else 0.14,  # for the true structure's name on top
        handlelength=1.3,
    )
    axes = layout.add_axes(figure, box)
    across.apply(axes)
    return axes


def _column_pitch(sizes: np.ndarray) -> float:
    """The distance of the closest two columns; ``sizes`` are their sorted places."""
    return float(np.diff(sizes).min()) if len(sizes) > 1 else 4.0


def _side_by_side(about: pd.DataFrame) -> pd.Series:
    """The x coordinate of every structure: about its number of parameters, side by side with the
    structures that have as many.
    """
    pitch = _column_pitch(np.unique(about["n_parameters"]))
    return about["n_parameters"] + 0.8 * pitch / max(2 * about["aside"].max(), 1) * about["aside"]


def _keys(look: Look, label: str, best: str) -> tuple[Line2D, Line2D]:
    """A score's two keys: its name, and which structure it calls best."""
    return (
        style.key(look, label, ls="none"),
        style.key(look, layout.wrapped(f"best, {best}", KEY, 7.5), ls="none", **_large(look)),
    )


def _other_keys(true: bool, errors: bool) -> list[tuple[Line2D]]:
    ring = Line2D([], [], **RING, label="true structure; a line leads to the score's name")
    bar = Line2D([], [], ls="none", marker="|", ms=9, mew=0.7, color=INK, alpha=BAR["alpha"],
                 label="± 1 standard error, where it is larger than the symbol")  # fmt: skip
    return [(ring,)] * true + [(bar,)] * errors


def _large(look: Look) -> dict:
    """How the marker of a score's best structure differs."""
    return {"ms": 1.2 * look.size + 3.5, "mec": INK, "mew": 1.5}


def _draw_points(
    axes: Axes,
    name: str,
    look: Look,
    x: pd.Series,
    values: pd.Series,
    errors: pd.Series,
    best: str,
) -> None:
    """A score's points, the best of them large, and bars of one standard error."""
    x, errors = x[values.index], errors[values.index].fillna(0.0)
    above = style.in_front(look)
    points = {"ls": "none"} | style.marker(look, 0.75)
    axes.plot(x, values, **points, zorder=3 + above, gid=f"scores-{name}")
    axes.plot(x[best], values[best], **points | _large(look), zorder=6 + above, gid=f"best-{name}")
    ends = zip(x, values - errors, values + errors, strict=True)
    bars = LineCollection([[(at, low), (at, high)] for at, low, high in ends], lw=0.7,
                          color=look.colour, gid=f"errors-{name}", **BAR)  # fmt: skip
    # the points set the limits: a bar that is longer goes to the frame
    axes.add_collection(bars, autolim=False)


def _mark_true(
    axes: Axes, specs: Sequence[Spec], looks: Mapping[str, Look], x: float, values: pd.Series
) -> None:
    """A line through the true structure's place, and from each of its scores one to the name of the
    score, right of the plot.
    """
    axes.axvline(x, color=INK, lw=0.8, ls=(0, (1, 2)), zorder=1, gid="true-x")
    named = []
    for spec in specs:
        value, look = values[spec.name], looks[spec.name]
        if not np.isnan(value):  # some scores are not defined for every structure
            axes.plot(x, value, **RING, zorder=7, gid=f"true-{spec.name}")
            named.append(layout.Named(value, spec.label, look.colour, style.marker(look)))
    layout.name_values(axes, named, start=x)
