"""How a figure is laid out: legends above, plots below, names and tick labels where they fit.

matplotlib's constrained layout reserves the place of all text. Lengths are in inches, unless said.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import scipy
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.scale import SymmetricalLogTransform
from matplotlib.textpath import TextToPath
from matplotlib.ticker import LogLocator, MaxNLocator, PercentFormatter

from latentdag.drawing.style import GRID, INK, MEDIUM, SMALL, Picture

WIDTH = 7.1  # a journal's full text width
BESIDE = 1.1  # that an axis across the page is narrower than the page, about
NEAR = 20.0  # nats on both sides of the centre, in which an axis is linear
BLANK = Line2D([], [], ls="none", label=" ")  # fills a legend


def add_legend(
    figure: Figure,
    keys: Sequence[Artist] = (),
    stack: int = 1,
    handlelength: float = 2.8,
    title: str | None = None,
) -> None:
    """Put a legend on top of the figure, which gets so much higher: of the ``keys``, or of all that
    has a label; in each panel, what no panel before has. The ``title`` stands above it.

    Each ``stack`` of so many keys stays together, one below the other; the stacks stand side by
    side, in as few lines as the page holds. A symbol is ``handlelength`` font sizes wide.
    """
    keys = [*keys]
    for axes in figure.axes if not keys else ():
        labels = {key.get_label() for key in keys}
        keys += [
            key for key in axes.get_legend_handles_labels()[0] if key.get_label() not in labels
        ]
    keys += [BLANK] * (-len(keys) % stack)
    count = len(keys) // stack
    for lines in range(1, count + 1):
        columns = -(-count // lines)
        filled = np.array([*keys, *[BLANK] * (-count % columns * stack)]).reshape(
            -1, columns, stack
        )
        legend = figure.legend(
            # matplotlib fills a legend column by column
            handles=filled.swapaxes(0, 1).ravel().tolist(),
            title=title,
            title_fontsize=SMALL + 1,
            alignment="left",
            loc="outside upper left",
            ncols=columns,
            borderpad=0.2,
            columnspacing=1.4,
            handlelength=handlelength,
            handletextpad=0.5,
            labelspacing=0.45,
        )
        extent = legend.get_window_extent()
        if columns == 1 or extent.x1 <= figure.bbox.width - extent.x0:  # as far from either edge
            figure.set_figheight(figure.get_figheight() + extent.height / figure.dpi)
            break
        legend.remove()


def finished(figure: Figure, x_name: str) -> Figure:
    """Name the x axes of all panels of ``figure`` ``x_name``, add a legend of all that has a label,
    and return the figure.
    """
    figure.supxlabel(x_name)
    add_legend(figure)
    return figure


def page(height: float, width: float = WIDTH) -> Figure:
    """An empty figure ``width`` inches wide and, before it gets a legend, ``height`` inches high. A
    figure narrower than `WIDTH` is also less high: its height falls with the square root of its
    width.
    """
    return Picture(figsize=(width, height * min(1.0, np.sqrt(width / WIDTH))), layout="constrained")


def panels(
    titles: Sequence[str | None], height: float, columns: int, width: float = WIDTH
) -> tuple[Figure, list[Axes]]:
    """A page, ``width`` inches wide, of small panels in so many ``columns``, each with its title
    and labels ``height`` inches high, on a narrow page less, as in `page`.

    Returns the figure, and the axes of each title, row by row; the place of None stays empty.
    """
    rows = -(-len(titles) // columns)
    figure = page(rows * height + 0.25, width)
    grid = figure.add_gridspec(rows, columns)
    letters = int((width - 0.8) / columns * 72 / (0.68 * MEDIUM))
    titled = []
    for place, title in enumerate(titles):
        if title is not None:
            axes = figure.add_subplot(grid[divmod(place, columns)])
            words = textwrap.fill(title, letters)
            axes.set_title(words, x=0.0, ha="left", size=MEDIUM, pad=3, weight="bold")
            titled.append(axes)
    return figure, titled


def columns_of(count: int, most: int) -> int:
    """The number of columns, at most ``most``, in which ``count`` panels stand in as few rows as
    hold them, about equally full.
    """
    return -(-count // -(-count // most))


def share_labels(panels: Iterable[Axes], name: str, size: float = MEDIUM) -> None:
    """Let the first of ``panels`` in each row alone have the ``name`` (``size`` points) and the
    tick labels of the y axis: the others share them.
    """
    for axes in panels:
        first = axes.get_subplotspec().is_first_col()
        axes.tick_params(labelleft=first)
        axes.set_ylabel(name if first else "", fontsize=size)


def log_values(axes: Axes) -> None:
    """Give ``axes`` a logarithmic y axis, with labels at 1, 2 and 5 times the powers of ten."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


def axis_at_right(axes: Axes, name: str) -> None:
    """Put the y axis of ``axes``, with its ``name``, at the right of the panel: it has a scale of
    its own.
    """
    axes.yaxis.tick_right()
    axes.spines["left"].set_visible(False)
    axes.spines["right"].set_visible(True)
    axes.set_ylabel(name)
    axes.yaxis.set_label_position("right")


def wrapped(words: str, width: float, size: float = SMALL) -> str:
    """The words in lines at most ``width`` inches wide at a font of ``size`` points: broken after
    blanks, hyphens and underscores, and elsewhere only in a word that is wider than that.
    """
    pieces = re.split(r"(?<=[ _-])", words)
    parts = [part for p in pieces for part in ([p] if text_width(p, size) <= width else p)]
    lines = [""]
    for part in parts:
        if lines[-1] and text_width(lines[-1] + part, size) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def text_width(words: str, size: float) -> float:
    """The width in inches of ``words`` at ``size`` points, without blanks at their end."""
    return TextToPath().get_text_width_height_descent(
        words.rstrip(), FontProperties(size=size), ismath=False
    )[0] / 72  # fmt: skip


def grid(axes: Axes) -> None:
    """Draw pale lines in ``axes`` at the ticks of the y axis, behind all else."""
    axes.grid(axis="y", color=GRID, lw=0.5, zorder=0)
    axes.set_axisbelow(True)


def log_ticks(axes: Axes, values: Iterable[float], doublings: float = 0.3) -> None:
    """Give ``axes`` a logarithmic x axis that goes ``doublings`` doublings beyond the least and the
    largest of the ``values``, with a tick at each of them, and a label wherever there is room; the
    labels are turned where that makes room for more.
    """
    values = np.unique(values)
    axes.set_xscale("log")
    axes.set_xlim(values[0] / 2**doublings, values[-1] * 2**doublings)
    texts = [f"{value:g}" for value in values]
    in_axes = axes.transData + axes.transAxes.inverted()
    across = axes.figure.get_figwidth() - BESIDE
    at = 72 * across * np.array([in_axes.transform_point((value, 1))[0] for value in values])
    upright = SMALL * (0.64 * max(map(len, texts)) + 1)
    turned = bool((np.diff(at) < upright).any())
    kept = [0]
    for i in range(1, len(at)):
        if at[i] - at[kept[-1]] >= (1.05 * SMALL if turned else upright):
            kept.append(i)
    labels = [text if i in kept else "" for i, text in enumerate(texts)]
    axes.set_xticks(values, labels, rotation=90 if turned else 0)
    axes.set_xticks([], minor=True)


def decades(axes: Axes, sizes: Iterable[float]) -> None:
    """Give ``axes``, a small panel, a logarithmic x axis for ``sizes``, with labels at powers of
    ten alone, or where fewer than two are near, at the ends of the sizes; and a grid at the ticks
    of the y axis.
    """
    axes.set_xscale("log")
    first, last = np.min(sizes), np.max(sizes)
    tens = [10**k for k in range(10) if first / 1.5 <= 10**k <= last * 1.5]
    axes.set_xticks(tens if len(tens) > 1 else sorted({first, last}))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_xlim(first / 1.5, last * 1.5)
    grid(axes)


def probabilities(axes: Axes, margin: float = 0.0) -> None:
    """Let both axes of ``axes`` go from 0 to 1, and ``margin`` beyond at either end, with ticks at
    0, 0.5 and 1.
    """
    axes.set(xlim=(-margin, 1 + margin), ylim=(-margin, 1 + margin))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([0, 0.5, 1], labels=["0", "0.5", "1"])


def shares(axes: Axes) -> None:
    """Give ``axes`` a y axis of shares from 0 to 1, with labels in per cent."""
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))


def symmetric(axes: Axes, low: float, high: float) -> None:
    """Give ``axes`` a y axis that holds all from ``low`` to ``high`` and from -1.5 to 1.5, linear
    from -1 to 1 and logarithmic on both sides, with a line at 0.
    """
    axes.set_yscale("symlog", linthresh=1.0, linscale=0.5, subs=range(2, 10))
    axes.set_ylim(min(-1.5, 1.3 * low), max(1.5, 1.3 * high))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.axhline(0, color=INK, lw=0.8, zorder=2)


def linear_near(axes: Axes, centre: float, name: str) -> None:
    """Give ``axes`` a y axis, of what is drawn in it so far (nats), that is linear within NEAR of
    ``centre`` and logarithmic beyond, on both sides. Its ``name`` says so, if anything lies beyond.
    """
    about_0 = SymmetricalLogTransform(10, linthresh=NEAR, linscale=0.8)
    forward, back = about_0.transform_non_affine, about_0.inverted().transform_non_affine
    functions = (lambda y: forward(y - centre), lambda x: back(x) + centre)
    axes.set_yscale("function", functions=functions)
    low, high = axes.get_ylim()
    inside = MaxNLocator(6).tick_values(max(low, centre - NEAR), min(high, centre + NEAR))
    # beyond, a round number near each of these distances
    far = [f * 10.0**k for k in range(1, 9) for f in (1, 2, 5) if f * 10**k >= 2.5 * NEAR]
    beyond = [round((centre + side * d) / unit) * unit for d in far for side in (-1, 1)
              for unit in [10 ** np.floor(np.log10(d / 5))]]  # fmt: skip
    axes.set_yticks([*inside[np.abs(inside - centre) <= 1.1 * NEAR], *beyond])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(low, high)
    if low < centre - NEAR or high > centre + NEAR:
        name += f", logarithmic beyond\n{NEAR:g} nats from {centre:.0f}".replace("-", "−")
    axes.set_ylabel(name)


def spread(places: Sequence[float], gap: float) -> np.ndarray:
    """The places from 0 to 1, (n,), at least ``gap`` apart, that are nearest to the sorted
    ``places`` from 0 to 1.
    """
    steps = gap * np.arange(len(places))
    apart = scipy.optimize.isotonic_regression(np.asarray(places) - steps).x
    return np.clip(apart, 0, 1 - steps[-1]) + steps


class Named(NamedTuple):
    """A value on the y axis with its name, and the colour of the line from one to the other."""

    value: float
    name: str
    colour: str


def name_values(axes: Axes, named: Sequence[Named]) -> None:
    """Write the names of ``named`` right of the plot ``axes``, moved apart, each with a line to its
    value at the right edge of the plot. Comes last, as it needs the height of the plot.
    """
    if not named:
        return
    axes.figure.draw_without_rendering()
    height = axes.bbox.height / axes.figure.dpi * 72  # points
    named = sorted(named, key=lambda one: one.value)
    in_axes = axes.transData + axes.transAxes.inverted()
    right = axes.get_xlim()[1]
    places = [in_axes.transform_point((right, one.value))[1] for one in named]
    lines = max(one.name.count("\n") + 1 for one in named)
    ends = spread(places, 1.35 * SMALL * lines / height)
    for one, y, end in zip(named, places, ends, strict=True):
        axes.plot([1.0, 1.03], [y, end], transform=axes.transAxes, clip_on=False, lw=0.7,
                  color=one.colour, alpha=0.6, zorder=1.2, gid="lead")  # fmt: skip
        axes.text(1.035, end, one.name, transform=axes.transAxes, va="center", fontsize=7.5,
                  linespacing=1.05, gid="name")  # fmt: skip
