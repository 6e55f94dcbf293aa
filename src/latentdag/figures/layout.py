"""How a figure is laid out: legends above, plots below, names and tick labels where they fit.

Lengths are in inches, unless said; the text of a figure has its place reserved.
"""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import scipy
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.textpath import TextToPath
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    MaxNLocator,
    NullFormatter,
    NullLocator,
)

from latentdag.figures.style import GRID, INK, MEDIUM, SMALL

WIDTH = 7.1  # a journal's full text width
LEFT, RIGHT = 0.82, 0.14  # margins
DIGIT = 0.64 * SMALL  # points that a digit of a tick label is wide
TICK, LEAD, PAD = 3.5, 7.0, 1.5  # points from the plot down to a turned label
AWAY = 0.17  # from the plot to a name at its right
SLIT, TICKS = 0.22, 0.2  # between panels; below them, for tick labels


class Box(NamedTuple):
    """A rectangle on the page, in inches from the lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


class Plot(NamedTuple):
    """What a page reserves for one plot: its height in inches, and the legends above it.

    Each legend is a sequence of stacks of keys. A stack stays together, its keys one below the
    other; the stacks stand side by side, in as few lines as the page is wide enough for.
    """

    height: float
    legends: Sequence[Sequence[Sequence[Artist]]]


def page(
    plots: Sequence[Plot],
    across: "Across | None" = None,
    right: float = RIGHT,
    gap: float = 0.14,
    handlelength: float = 2.8,
) -> tuple[Figure, list[Box]]:
    """A figure of text width with its legends, and the place of each plot, from top to bottom.

    Below, there is room for the labels and name of the x axis ``across``, or else for a name only.
    ``right`` is a margin, ``gap`` is left between legends and plot, both in inches; a legend's
    symbols are ``handlelength`` font sizes wide.
    """
    figure = Figure(figsize=(WIDTH, 1.0))
    width = WIDTH - LEFT - right
    bottom = across.depth(width) if across else 0.32
    y, boxes, placed = bottom, [], []
    for plot in reversed(plots):
        boxes.insert(0, Box(LEFT, y, width, plot.height))
        y += plot.height + gap
        for stacks in reversed(plot.legends):
            if stacks:
                legend = _legend(figure, stacks, handlelength)
                y += _extent(figure, legend).height / figure.dpi
                placed.append((legend, y))
                y += 0.04
        y += 0.1 if plot is not plots[0] else 0.0
    figure.set_figheight(y)
    for legend, top in placed:
        legend.set_bbox_to_anchor((LEFT, top), transform=figure.dpi_scale_trans)
    return figure, boxes


def panels(
    titles: Sequence[str],
    keys: Sequence[Sequence[Artist]],
    height: float,
    abreast: int,
    right: float = RIGHT,
    corner: bool = False,
) -> tuple[Figure, list[tuple[Box, str]]]:
    """A page of small panels below a legend of ``keys``, each panel ``height`` inches high.

    Returns the figure, and for each title the place of its panel and itself in lines that fit. At
    most ``abreast`` panels stand side by side. With ``corner`` the last one is at the right of the
    last row, where the margin ``right`` has room for an axis of its own.
    """
    rows = -(-len(titles) // abreast)
    columns = -(-len(titles) // rows)
    places = list(range(len(titles)))
    if corner:
        places[-1] = rows * columns - 1
    width = (WIDTH - LEFT - right + SLIT) / columns - SLIT
    titles = [textwrap.fill(title, int(width * 72 / (0.68 * MEDIUM))) for title in titles]
    lines = [1] * rows  # of the tallest title of each row
    for title, place in zip(titles, places, strict=True):
        lines[place // columns] = max(lines[place // columns], title.count("\n") + 1)
    heights = [TICKS + height + 0.08 + 0.15 * count for count in lines]
    figure, (box,) = page([Plot(sum(heights), [keys])], right=right, gap=0.0)
    bottoms = [box.bottom + sum(heights[row + 1 :]) + TICKS for row in range(rows)]
    return figure, [
        (Box(box.left + at % columns * (width + SLIT), bottoms[at // columns], width, height),
         title)
        for title, at in zip(titles, places, strict=True)
    ]  # fmt: skip


def name_across(figure: Figure, placed: Iterable[tuple[Box, str]], words: str) -> None:
    """The name of the x axis that `panels` share, below the middle of them."""
    middle = (LEFT + max(box.left + box.width for box, _ in placed)) / 2
    figure.supxlabel(words, x=middle / WIDTH, fontsize=MEDIUM, y=0.05 / figure.get_figheight(),
                     va="bottom")  # fmt: skip


def axis_at_right(axes: Axes, name: str) -> None:
    """The y axis at the right of its panel, for one with a scale of its own."""
    axes.yaxis.tick_right()
    axes.spines["left"].set_visible(False)
    axes.spines["right"].set_visible(True)
    axes.set_ylabel(name)
    axes.yaxis.set_label_position("right")


def label_leftmost(axes: Axes, box: Box, name: str, size: float = MEDIUM) -> None:
    """Labels and the name of the y axis for the first panel of a row alone: the others share it."""
    axes.tick_params(labelleft=box.left == LEFT)
    if box.left == LEFT:
        axes.set_ylabel(name, fontsize=size)


def head(axes: Axes, title: str, colour: str = INK) -> None:
    """The title of a panel."""
    axes.set_title(title, loc="left", size=MEDIUM, pad=3, color=colour, weight="bold")


def _legend(
    figure: Figure, stacks: Sequence[Sequence[Artist]], handlelength: float, lines: int = 1
) -> Legend:
    """A legend with as few lines of stacks as fit, but ``lines`` at least, about equally full."""
    columns = -(-len(stacks) // lines)
    blank = [Line2D([], [], ls="none", label=" ")] * len(stacks[0])
    filled = [*stacks, *[blank] * (-len(stacks) % columns)]
    # matplotlib fills a legend column by column
    in_columns = [stack for j in range(columns) for stack in filled[j::columns]]
    legend = figure.legend(
        handles=[key for stack in in_columns for key in stack],
        loc="upper left",
        ncols=columns,
        borderaxespad=0,
        borderpad=0.2,
        columnspacing=1.4,
        handlelength=handlelength,
        handletextpad=0.5,
        labelspacing=0.45,
    )
    if columns == 1 or _extent(figure, legend).width / figure.dpi <= WIDTH - LEFT:
        return legend
    legend.remove()
    return _legend(figure, stacks, handlelength, lines + 1)


def _extent(figure: Figure, legend: Legend):
    return legend.get_window_extent(FigureCanvasAgg(figure).get_renderer())


def add_axes(figure: Figure, box: Box) -> Axes:
    """Axes at a place given in inches."""
    width, height = figure.get_size_inches()
    return figure.add_axes(
        (box.left / width, box.bottom / height, box.width / width, box.height / height)
    )


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
    """Inches that words of ``size`` points are wide, without blanks at their end."""
    return TextToPath().get_text_width_height_descent(
        words.rstrip(), FontProperties(size=size), ismath=False
    )[0] / 72  # fmt: skip


def log_limits(values: np.ndarray, doublings: float = 0.3) -> tuple[float, float]:
    """Limits of a logarithmic axis, so many doublings beyond the sorted values."""
    return values[0] / 2**doublings, values[-1] * 2**doublings


def plain_numbers(axes: Axes) -> None:
    """Numbers as they are on the y axis: no powers, no common offset."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}".replace("-", "−")))


def decades(axes: Axes, sizes: np.ndarray) -> None:
    """A logarithmic x axis for a small panel, with labels at powers of ten alone, or where fewer
    than two are near, at the ends of the sorted ``sizes``; and a grid at the ticks of the y axis.
    """
    axes.set_xscale("log")
    low, high = log_limits(sizes, 0.6)
    axes.set_xlim(low, high)
    tens = [10**k for k in range(10) if low <= 10**k <= high]
    axes.xaxis.set_major_locator(
        FixedLocator(tens if len(tens) > 1 else sorted({sizes[0], sizes[-1]}))
    )
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    grid(axes)


def grid(axes: Axes) -> None:
    """Pale lines at the ticks of the y axis, behind all else."""
    axes.grid(axis="y", color=GRID, lw=0.5, zorder=0)
    axes.set_axisbelow(True)


def symmetric(axes: Axes, low: float, high: float) -> None:
    """A y axis from ``low`` to ``high`` that is logarithmic on both sides of 0, and linear from -1
    to 1.
    """
    axes.set_yscale("symlog", linthresh=1.0, linscale=0.5)
    axes.set_ylim(low, high)
    tens = [10.0**k for k in range(int(np.log10(max(-low, high, 1.0))) + 1)]
    between = [s * f * d for s in (-1, 1) for d in tens for f in range(2, 10)]
    axes.yaxis.set_major_locator(FixedLocator([-d for d in tens] + [0] + tens))
    axes.yaxis.set_minor_locator(FixedLocator(between))
    plain_numbers(axes)
    axes.axhline(0, color=INK, lw=0.8, zorder=2)


NEAR = 20.0  # nats on both sides of the centre, in which an axis is linear
SHARE = 2.0  # of the axis for NEAR nats, where a factor of e beyond has 1


def linear_near(axes: Axes, centre: float) -> str:
    """A y axis, of what is drawn so far, that is linear within NEAR of ``centre`` and logarithmic
    beyond, on both sides. Returns words for its name that say so, if anything lies beyond.
    """

    def forward(y: np.ndarray) -> np.ndarray:
        far = np.abs(y - centre) / NEAR
        beyond = SHARE + np.log(np.maximum(far, 1))
        return np.sign(y - centre) * np.where(far > 1, beyond, SHARE * far)

    def inverse(x: np.ndarray) -> np.ndarray:
        far = np.abs(x) / SHARE
        beyond = np.exp(np.maximum(np.abs(x) - SHARE, 0))
        return centre + np.sign(x) * NEAR * np.where(far > 1, beyond, far)

    axes.set_yscale("function", functions=(forward, inverse))
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    inside = MaxNLocator(6).tick_values(max(low, centre - NEAR), min(high, centre + NEAR))
    far = [f * 10.0**k for k in range(1, 9) for f in (1, 2, 5) if f * 10**k >= 2.5 * NEAR]
    # a round number near each of them
    beyond = [round((centre + s * d) / unit) * unit for d in far for s in (-1, 1)
              for unit in [10 ** np.floor(np.log10(d / 5))]]  # fmt: skip
    axes.yaxis.set_major_locator(
        FixedLocator([*inside[np.abs(inside - centre) <= 1.1 * NEAR], *beyond])
    )
    axes.yaxis.set_minor_locator(NullLocator())
    plain_numbers(axes)
    if low >= centre - NEAR and high <= centre + NEAR:
        return ""
    return f"axis logarithmic beyond {NEAR:g} nats from {centre:.0f}".replace("-", "−")


def spread(places: np.ndarray, gap: float, low: float = -np.inf, high: float = np.inf):
    """The places in [low, high] nearest to the sorted ``places``, by least squares, that are at
    least ``gap`` apart.
    """
    steps = gap * np.arange(len(places))
    apart = scipy.optimize.isotonic_regression(np.asarray(places) - steps).x
    return np.clip(apart, low, high - steps[-1]) + steps


class Named(NamedTuple):
    """A value on the y axis with its name, and the colour of the line from one to the other."""

    value: float
    name: str
    colour: str
    key: Mapping = MappingProxyType({})  # a marker before the name, as keywords of plot


def margin_for(names: Iterable[str]) -> float:
    """Inches that `name_values` needs right of the plot."""
    longest = max(len(line) for name in names for line in name.splitlines())
    return AWAY + 0.15 + 0.0085 * MEDIUM * longest


def name_values(axes: Axes, named: Iterable[Named], start: float | None = None) -> None:
    """Names right of the plot, moved apart, each with a line to its value at the right edge of the
    plot, or on to x = ``start``.
    """
    named = sorted(named, key=lambda one: one.value)
    width, height = axes.bbox.size / axes.figure.dpi
    in_axes = axes.transData + axes.transAxes.inverted()
    begin = 1.0 if start is None else in_axes.transform_point((start, named[0].value))[0]
    right = axes.get_xlim()[1]
    at = np.array([in_axes.transform_point((right, one.value))[1] for one in named])
    lines = max(one.name.count("\n") + 1 for one in named)
    ends = spread(at, 1.35 * SMALL * lines / 72 / height, 0.0, 1.0)
    beside = {"transform": axes.transAxes, "clip_on": False}
    x = 1 + AWAY / width
    for one, y, end in zip(named, at, ends, strict=True):
        axes.plot([begin, 1.0, x], [y, y, end], **beside, lw=0.7, color=one.colour, alpha=0.6,
                  zorder=1.2, gid="lead")  # fmt: skip
        if one.key:
            x_key, x_name = x + 0.06 / width, x + 0.14 / width
            axes.plot(x_key, end, **beside, **one.key)
        else:
            x_name = x + 0.03 / width
        axes.text(x_name, end, one.name, transform=axes.transAxes, ha="left", va="center",
                  fontsize=7.5, linespacing=1.05, gid="name")  # fmt: skip


@dataclass(frozen=True)
class Across:
    """An x axis with a tick and a label at every one of its values: upright where they fit, else
    turned, moved apart and led to their ticks.

    Where there is no room for all labels, only every second, third, ... tick has one.
    """

    values: np.ndarray  # sorted
    limits: tuple[float, float]
    log: bool = True

    @property
    def texts(self) -> list[str]:
        return [f"{value:g}" for value in self.values]

    def places(self, width: float) -> np.ndarray:
        """Where the values lie on an axis of this width, in the same unit from its left end."""
        values, (low, high) = np.asarray(self.values), self.limits
        if self.log:
            values, low, high = np.log(values), np.log(low), np.log(high)
        return (values - low) / (high - low) * width

    def fits(self, width: float) -> bool:
        """Whether upright labels have room on an axis ``width`` inches wide."""
        sizes = DIGIT * np.array([len(text) for text in self.texts])
        return bool((np.diff(72 * self.places(width)) > (sizes[1:] + sizes[:-1]) / 2 + 4).all())

    def depth(self, width: float) -> float:
        """Inches below the plot that labels and the axis's name need."""
        return 0.5 if self.fits(width) else 0.35 + DIGIT * max(map(len, self.texts)) / 72

    def apply(self, axes: Axes, labels: bool = True) -> None:
        """Set scale, limits and ticks, and the labels if wanted."""
        axes.set_xscale("log" if self.log else "linear")
        axes.set_xlim(self.limits)
        axes.xaxis.set_major_locator(FixedLocator(self.values))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
        width = axes.bbox.width / axes.figure.dpi
        if not labels or not self.fits(width):
            axes.tick_params(axis="x", labelbottom=False)
        if labels and not self.fits(width):
            self._turned(axes, 72 * width)

    def _turned(self, axes: Axes, width: float) -> None:
        """Labels moved apart, with leaders to their ticks; ``width`` in points."""
        height = axes.bbox.height / axes.figure.dpi * 72
        gap = 1.2 * SMALL
        at = self.places(width)
        every = int(np.ceil(len(at) * gap / (width + 2 * gap)))
        at, texts = at[::every], self.texts[::every]
        below = {"transform": axes.transAxes, "clip_on": False}
        for start, end, text in zip(at, spread(at, gap), texts, strict=True):
            x, y = [start / width, end / width], [-TICK / height, -(TICK + LEAD) / height]
            axes.add_line(Line2D(x, y, color=INK, lw=0.5, gid="leader", **below))
            axes.text(end / width, -(TICK + LEAD + PAD) / height, text, rotation=90, ha="center",
                      va="top", fontsize=SMALL, gid="tick", **below)  # fmt: skip
        axes.xaxis.labelpad = LEAD + PAD + DIGIT * max(map(len, texts)) + 3
