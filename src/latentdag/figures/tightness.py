"""How far each score lies from the evidence. The paper has no such figure."""

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
from latentdag.scores.base import Spec

HEIGHT = 2.3  # inches, of a panel
ACROSS = 4  # panels side by side, at most
SLIT, TICKS = 0.22, 0.2  # inches between panels; below them, for tick labels
RANGE, HALF = {"color": "#e4e4e4"}, {"color": "#b9b9b9"}  # bands over the structures
BANDS = {(0.0, 1.0): RANGE, (0.25, 0.75): HALF}  # by the quantiles at their ends
MEDIAN = {"color": INK, "lw": 1.6}
TRUE = {"color": TRUTH, "lw": 0.9, "marker": "D", "ms": 3.6, "mfc": "white", "mew": 0.8}


@style.styled
def tightness(errors: pd.DataFrame, structures: pd.DataFrame, draw: int = 0) -> Figure:
    """Score minus log evidence (nats) of all structures, against the number of cases: a panel for
    each score.

    Reads draw, n, structure, method, error_nats of the errors table, and structure, is_true of the
    structures table. A panel has the median, the middle half and the whole range over the
    structures, and the true structure. The axis is logarithmic on both sides of 0, and linear from
    -1 to 1 nat. Raises ValueError if the table has no score of this figure for this draw.
    """
    here = errors[errors["draw"] == draw].dropna(subset="error_nats")
    specs = style.drawn("tightness", here["method"])
    if not specs:
        raise ValueError(f"no score of this figure in the errors table of draw {draw}")
    here = here[here["method"].isin([spec.name for spec in specs])]
    looks = style.looks()
    true = next(iter(structures.loc[structures["is_true"].astype(bool), "structure"]), None)

    figure, boxes, titles = _panels(specs, _keys(here["structure"].nunique(), true))
    sizes, reach = np.unique(here["n"]), _reach(here["error_nats"])
    for spec, box, title in zip(specs, boxes, titles, strict=True):
        axes = layout.add_axes(figure, box)
        _set_up(axes, sizes, reach, leftmost=box.left == layout.LEFT)
        colour = INK if looks[spec.name].pale else looks[spec.name].colour
        axes.set_title(title, loc="left", size=MEDIUM, pad=3, color=colour, weight="bold")
        own = here[here["method"] == spec.name]
        _draw_structures(axes, spec.name, own)
        _draw_true(axes, spec.name, own[own["structure"] == true])
    of_draw = f" (draw {draw})" if errors["draw"].nunique() > 1 else ""
    middle = (boxes[0].left + max(box.left + box.width for box in boxes)) / 2
    figure.supxlabel(f"number of cases n{of_draw}", x=middle / layout.WIDTH, fontsize=MEDIUM,
                     y=0.05 / figure.get_figheight(), va="bottom")  # fmt: skip
    return figure


def _panels(specs: list[Spec], keys: list[tuple]) -> tuple[Figure, list[layout.Box], list[str]]:
    """The page, and for each score the place of its panel, and its title in lines that fit."""
    rows = -(-len(specs) // ACROSS)
    columns = -(-len(specs) // rows)
    width = (layout.WIDTH - layout.LEFT - layout.RIGHT + SLIT) / columns - SLIT
    titles = [textwrap.fill(spec.title, int(width * 72 / (0.68 * MEDIUM))) for spec in specs]
    above = 0.08 + 0.15 * max(title.count("\n") + 1 for title in titles)
    pitch = TICKS + HEIGHT + above
    figure, (box,) = layout.page([layout.Plot(rows * pitch, [keys])], gap=0.0)
    boxes = [
        layout.Box(
            box.left + i % columns * (width + SLIT),
            box.bottom + (rows - 1 - i // columns) * pitch + TICKS,
            width,
            HEIGHT,
        )
        for i in range(len(specs))
    ]
    return figure, boxes, titles


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
    axes.set_xscale("log")
    low, high = layout.log_limits(sizes, 0.6)
    axes.set_xlim(low, high)
    tens = [10**k for k in range(10) if low <= 10**k <= high]
    axes.xaxis.set_major_locator(FixedLocator(tens if len(tens) > 1 else [sizes[0], sizes[-1]]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
    axes.set_ylim(reach)
    decades = [10.0**k for k in range(int(np.log10(max(-reach[0], reach[1]))) + 1)]
    between = [s * f * d for s in (-1, 1) for d in decades for f in range(2, 10)]
    axes.yaxis.set_major_locator(FixedLocator([-d for d in decades] + [0] + decades))
    axes.yaxis.set_minor_locator(FixedLocator(between))
    layout.plain_numbers(axes)
    axes.grid(axis="y", color=GRID, lw=0.5, zorder=0)
    axes.set_axisbelow(True)
    axes.axhline(0, color=INK, lw=0.8, zorder=2)
    axes.tick_params(labelleft=leftmost)
    if leftmost:
        axes.set_ylabel("score minus log evidence (nats)\n0: exact, below 0: too low")


def _draw_structures(axes: Axes, name: str, own: pd.DataFrame) -> None:
    """The median over structures, in bands that hold half of them and all."""
    of_size = own.groupby("n")["error_nats"]
    for (low, high), fill in BANDS.items():
        low, high = of_size.quantile(low), of_size.quantile(high)
        axes.fill_between(low.index, low, high, lw=0, zorder=1, gid=f"band-{name}", **fill)
    median = of_size.median()
    axes.plot(median.index, median, zorder=3, gid=f"median-{name}", **MEDIAN)


def _draw_true(axes: Axes, name: str, own: pd.DataFrame) -> None:
    own = own.sort_values("n")
    axes.plot(own["n"], own["error_nats"], zorder=4, gid=f"true-{name}", **TRUE)
