"""How far each score lies from the evidence, and VB from BIC. The paper has no such figure."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from latentdag.figures import layout, style
from latentdag.figures.style import GRID, INK, MEDIUM, TRUTH

HEIGHT = 2.0  # inches, of a panel
ACROSS = 4  # panels side by side, at most
ASIDE = 0.56  # inches right of the panels, for an axis of its own
DIFFERENCE = "VB minus BIC"  # title of the panel that is of no score
SLIT, TICKS = 0.22, 0.2  # inches between panels; below them, for tick labels
RANGE, HALF = {"color": "#e4e4e4"}, {"color": "#b9b9b9"}  # bands over the structures
BANDS = {(0.0, 1.0): RANGE, (0.25, 0.75): HALF}  # by the quantiles at their ends
MEDIAN = {"color": INK, "lw": 1.6}
TRUE = {"color": TRUTH, "lw": 0.9, "marker": "D", "ms": 3.6, "mfc": "white", "mew": 0.8}


@style.styled
def tightness(errors: pd.DataFrame, structures: pd.DataFrame, draw: int = 0) -> Figure:
    """Score minus log evidence (nats) of all structures, against the number of cases: a panel for
    each score. Where the table has both VB and BIC, a last panel holds their difference.

    Reads draw, n, structure, method, error_nats of the errors table, and structure, is_true of the
    structures table. A panel has the median, the middle half and the whole range over the
    structures, and the true structure. The scores' panels share one axis: logarithmic on both sides
    of 0, and linear from -1 to 1 nat. That of VB minus BIC has its own, at its right: linear, from
    0. Raises ValueError if the table has no score of this figure for this draw.
    """
    here = errors[errors["draw"] == draw].dropna(subset="error_nats")
    specs = style.drawn("tightness", here["method"])
    if not specs:
        raise ValueError(f"no score of this figure in the errors table of draw {draw}")
    apart = _vb_minus_bic(here)
    here = here[here["method"].isin([spec.name for spec in specs])]
    looks = style.looks()
    true = next(iter(structures.loc[structures["is_true"].astype(bool), "structure"]), None)

    titles = [spec.title for spec in specs] + [DIFFERENCE] * (len(apart) > 0)
    figure, panels = _panels(titles, _keys(here["structure"].nunique(), true))
    sizes, reach = np.unique(here["n"]), _reach(here["error_nats"])
    for spec, (box, title) in zip(specs, panels, strict=False):  # the last may be of no score
        axes = layout.add_axes(figure, box)
        _set_up(axes, sizes, reach, leftmost=box.left == layout.LEFT)
        colour = INK if looks[spec.name].pale else looks[spec.name].colour
        _draw(axes, spec.name, title, colour, here[here["method"] == spec.name], true)
    if len(apart):
        box, title = panels[-1]
        axes = layout.add_axes(figure, box)
        _set_up_apart(axes, sizes, apart["error_nats"])
        _draw(axes, "vb-bic", title, INK, apart, true)
    of_draw = f" (draw {draw})" if errors["draw"].nunique() > 1 else ""
    middle = (layout.LEFT + max(box.left + box.width for box, _ in panels)) / 2
    figure.supxlabel(f"number of cases n{of_draw}", x=middle / layout.WIDTH, fontsize=MEDIUM,
                     y=0.05 / figure.get_figheight(), va="bottom")  # fmt: skip
    return figure


def _vb_minus_bic(errors: pd.DataFrame) -> pd.DataFrame:
    """The rows of VB, with VB - BIC as their error: the evidence cancels. Empty where either has
    none.
    """
    own = {m: errors[errors["method"] == m] for m in ("vb", "bic")}
    both = own["vb"].merge(own["bic"], on=["n", "structure"], suffixes=("", "_bic"))
    return both.assign(error_nats=both["error_nats"] - both["error_nats_bic"])


def _panels(titles: list[str], keys: list[tuple]) -> tuple[Figure, list[tuple[layout.Box, str]]]:
    """The page, and for each title the place of its panel, and itself in lines that fit; that of
    `DIFFERENCE` is in the corner at the right.
    """
    rows = -(-len(titles) // ACROSS)
    columns = -(-len(titles) // rows)
    places = list(range(len(titles)))
    right = layout.RIGHT
    if titles[-1] == DIFFERENCE:
        places[-1], right = rows * columns - 1, ASIDE
    width = (layout.WIDTH - layout.LEFT - right + SLIT) / columns - SLIT
    titles = [textwrap.fill(title, int(width * 72 / (0.68 * MEDIUM))) for title in titles]
    lines = [1] * rows  # of the tallest title of each row
    for title, place in zip(titles, places, strict=True):
        lines[place // columns] = max(lines[place // columns], title.count("\n") + 1)
    heights = [TICKS + HEIGHT + 0.08 + 0.15 * count for count in lines]
    figure, (box,) = layout.page([layout.Plot(sum(heights), [keys])], right=right, gap=0.0)
    bottoms = [box.bottom + sum(heights[row + 1 :]) + TICKS for row in range(rows)]
    return figure, [
        (layout.Box(box.left + at % columns * (width + SLIT), bottoms[at // columns], width,
                    HEIGHT), title)
        for title, at in zip(titles, places, strict=True)
    ]  # fmt: skip


def _keys(count: int, true: str | None) -> list[tuple]:
    keys = [
        (Line2D([], [], **MEDIAN, label=f"median of {count} structures"),),
        (Patch(**HALF, label="middle half"),),
        (Patch(**RANGE, label="lowest to highest"),),
    ]
    if true is not None:
        keys.append((Line2D([], [], **TRUE, label=f"true structure {true}"),))
    return keys


def _reach(errors: pd.Series) -> tuple[float, float]:
    """Limits of the axis: a little beyond the errors, and at least 1.5 nats on both sides of 0."""
    return min(-1.5, 1.3 * errors.min()), max(1.5, 1.3 * errors.max())


def _set_up(axes: Axes, sizes: np.ndarray, reach: tuple[float, float], leftmost: bool) -> None:
    """The axes of a score's panel; the ``leftmost`` one of a row has labels."""
    _set_up_across(axes, sizes)
    axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
    axes.set_ylim(reach)
    decades = [10.0**k for k in range(int(np.log10(max(-reach[0], reach[1]))) + 1)]
    between = [s * f * d for s in (-1, 1) for d in decades for f in range(2, 10)]
    axes.yaxis.set_major_locator(FixedLocator([-d for d in decades] + [0] + decades))
    axes.yaxis.set_minor_locator(FixedLocator(between))
    layout.plain_numbers(axes)
    axes.axhline(0, color=INK, lw=0.8, zorder=2)
    axes.tick_params(labelleft=leftmost)
    if leftmost:
        axes.set_ylabel("score minus log evidence (nats)\n0: exact, below 0: too low")


def _set_up_apart(axes: Axes, sizes: np.ndarray, values: pd.Series) -> None:
    """The axes of VB minus BIC, with its scale at the right."""
    _set_up_across(axes, sizes)
    axes.set_ylim(min(0.0, 1.05 * values.min()), max(1.0, 1.05 * values.max()))
    layout.plain_numbers(axes)
    axes.yaxis.tick_right()
    axes.spines["left"].set_visible(False)
    axes.spines["right"].set_visible(True)
    axes.set_ylabel("nats")
    axes.yaxis.set_label_position("right")


def _set_up_across(axes: Axes, sizes: np.ndarray) -> None:
    axes.set_xscale("log")
    low, high = layout.log_limits(sizes, 0.6)
    axes.set_xlim(low, high)
    tens = [10**k for k in range(10) if low <= 10**k <= high]
    axes.xaxis.set_major_locator(FixedLocator(tens if len(tens) > 1 else [sizes[0], sizes[-1]]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="y", color=GRID, lw=0.5, zorder=0)
    axes.set_axisbelow(True)


def _draw(
    axes: Axes, name: str, title: str, colour: str, own: pd.DataFrame, true: str | None
) -> None:
    """The title, the median over structures in bands that hold half of them and all, and the true
    structure.
    """
    axes.set_title(title, loc="left", size=MEDIUM, pad=3, color=colour, weight="bold")
    of_size = own.groupby("n")["error_nats"]
    for (low, high), fill in BANDS.items():
        low, high = of_size.quantile(low), of_size.quantile(high)
        axes.fill_between(low.index, low, high, lw=0, zorder=1, gid=f"band-{name}", **fill)
    median = of_size.median()
    axes.plot(median.index, median, zorder=3, gid=f"median-{name}", **MEDIAN)
    marked = own[own["structure"] == true].sort_values("n")
    axes.plot(marked["n"], marked["error_nats"], zorder=4, gid=f"true-{name}", **TRUE)
