"""What all figures share: how each score looks, matplotlib's settings, legends, ticks, and saving.

Nothing here touches pyplot or leaves a setting behind, and a user's matplotlibrc has no say: the
same tables give the same bytes. Lengths are in inches; sizes of markers, lines and fonts in points.
"""

import functools
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import matplotlib.style
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from scipy.optimize import isotonic_regression

from latentdag import scores
from latentdag.files import whole
from latentdag.scores.base import Look, Side, Spec

INK, FAINT, GRID = "#000000", "#8a8a8a", "#dddddd"
WIDTH = 7.1  # a journal's full text width
LEFT, RIGHT = 0.82, 0.14  # margins
SMALL, MEDIUM = 7.0, 8.5  # tick labels; axis labels
RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same on every machine
    "font.size": 8.0,
    "axes.labelsize": MEDIUM,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.3,
    "pdf.fonttype": 42,
    "figure.dpi": 200,
    "savefig.dpi": 200,
}

# for scores that declare no look
COLOURS = ("#7b3fa0", "#7fb8e6", "#7a4a1e", "#e58fbf", "#12807c", "#b5bd2b", "#8b1a2b", "#8c8c8c")
COLOURS += ("#20205c", "#c2188f", "#b8742a")
MARKERS = ("X", "<", ">", "d", "*", "p", (4, 1, 0), "h", (8, 1, 0), (3, 1, 0), "H", "8", (7, 0, 0))
LINES = (
    (0, (8, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (2, 2)),
    (0, (8, 2, 3, 2)),
    (0, (1, 2.6)),
    (0, (6, 1, 1, 1, 1, 1, 1, 1)),
    (0, (3, 3)),
    (0, (8, 2, 1, 2)),
    (0, (4, 1, 2, 1)),
)
PALE = 60  # lightness from which a marker needs a dark edge


class Box(NamedTuple):
    """A rectangle on the page, in inches from the lower left corner."""

    left: float
    bottom: float
    width: float
    height: float


def styled(function):
    """The function under these settings of matplotlib, whatever the user's are."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with matplotlib.style.context(["default", RC]):
            return function(*args, **kwargs)

    return wrapper


@styled
def save(figure: Figure, png_path: str | Path, pdf_path: str | Path) -> None:
    """Write the figure as PNG (200 dpi) and PDF (fonts embedded as Type 42), each whole or not at
    all, and neither if one cannot be drawn.

    The bytes hold no dates and no versions of the programs that wrote them. Raises OSError if a
    file cannot be written.
    """
    metadata = {
        "png": {"Software": None},
        "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    }
    drawn = {kind: BytesIO() for kind in metadata}
    for kind, file in drawn.items():
        figure.savefig(file, format=kind, metadata=metadata[kind], dpi=RC["savefig.dpi"])
    for kind, path in (("png", png_path), ("pdf", pdf_path)):
        with whole(path) as partial:
            partial.write_bytes(drawn[kind].getvalue())


# ---- scores: which are drawn, and how they look


def drawn(figure: str, methods: Iterable[str], where: str) -> list[Spec]:
    """The scores among ``methods`` that declare this figure, in the registry's order.

    Raises ValueError, with ``where`` in its message, if there is none.
    """
    declared = [spec for spec in scores.SPECS.values() if figure in spec.figures]
    methods = set(methods)
    found = [spec for spec in declared if spec.name in methods]
    if not found:
        raise ValueError(f"none of {', '.join(spec.name for spec in declared)} in {where}")
    return found


def trust(spec: Spec) -> tuple[int, float]:
    """What to sort scores by, so that the most trustworthy comes last."""
    return list(Side).index(spec.side), spec.place


def looks() -> dict[str, Look]:
    """How each score that a figure draws looks, by name.

    One that declares no look gets a marker and a line that no score before it has, and of the spare
    colours the one that is farthest in lightness from all those given so far.
    """
    shown = [spec for spec in scores.SPECS.values() if spec.figures]
    found = {spec.name: spec.look for spec in shown if spec.look}
    for spec in shown:
        if spec.name not in found:
            found[spec.name] = _next_look(list(found.values()))
    return found


def _next_look(taken: list[Look]) -> Look:
    lightnesses = [lightness(look.colour) for look in taken]

    def distance(colour: str) -> float:
        return min((abs(lightness(colour) - other) for other in lightnesses), default=0.0)

    colour = max(_least_used(COLOURS, [look.colour for look in taken]), key=distance)
    return Look(
        colour=colour,
        marker=_least_used(MARKERS, [look.marker for look in taken])[0],
        line=_least_used(LINES, [look.line for look in taken])[0],
        size=4.6,
        pale=lightness(colour) > PALE,
    )


def _least_used(options: Sequence, used: list) -> list:
    """The options that are used least often, in their order: the free ones, if any is."""
    least = min(used.count(option) for option in options)
    return [option for option in options if used.count(option) == least]


def lightness(colour: str) -> float:
    """CIE L* of a colour: 0 is black, 100 white, and what a print in grey keeps."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * y ** (1 / 3) - 16 if y > 216 / 24389 else y * 24389 / 27


def marker(look: Look, scale: float = 1.0) -> dict:
    """The marker of a score, as keywords of matplotlib's plot."""
    return {
        "marker": look.marker,
        "ms": scale * look.size,
        "mfc": "white" if look.hollow else look.colour,
        "mec": INK if look.pale else look.colour,
        "mew": scale * (0.6 if look.pale else 1.0),
    }


def line(look: Look) -> dict:
    """The line of a score, as keywords of matplotlib's plot."""
    return {
        "color": look.colour,
        "ls": look.line,
        "lw": look.width,
        "solid_capstyle": "round",
        # the thinner in front: a wide pale line stays visible behind; and broken lines in front of
        # whole ones, so that both are seen where they meet
        "zorder": 3 - look.width / 10 + (0.05 if look.line != "-" else 0.0),
    }


def in_front(look: Look) -> float:
    """What to add to the depth of a score's markers, so that small ones lie on large ones."""
    return -look.size / 100


def key(look: Look, label: str, **changes) -> Line2D:
    """A legend's key: marker and line of a score, with ``changes`` to them."""
    return Line2D([], [], **line(look) | marker(look) | changes, label=label)


def number(value: float, digits: int = 1) -> str:
    """A number with a typographic minus."""
    return f"{value:.{digits}f}".replace("-", "−")


# ---- the page: legends above, plots below


class Plot(NamedTuple):
    """What a page reserves for one plot: its height in inches, and the legends above it.

    Each legend is a sequence of stacks of keys. A stack stays together, its keys one below the
    other; the stacks stand side by side, in as few lines as the page is wide enough for.
    """

    height: float
    legends: Sequence[Sequence[Sequence[Artist]]]


def page(
    *plots: Plot,
    bottom: float = 0.5,
    right: float = RIGHT,
    gap: float = 0.14,
    handlelength: float = 2.8,
) -> tuple[Figure, list[Box]]:
    """A figure of text width with its legends, and the place of each plot, from top to bottom.

    ``bottom`` and ``right`` are margins, ``gap`` is left between legends and plot, all in inches;
    ``handlelength`` is the width of a key in units of the legend's font.
    """
    figure = Figure(figsize=(WIDTH, 1.0))
    y, boxes, placed = bottom, [], []
    for plot in reversed(plots):
        boxes.insert(0, Box(LEFT, y, WIDTH - LEFT - right, plot.height))
        y += plot.height + gap
        for stacks in reversed(plot.legends):
            if stacks:
                legend = _legend(figure, stacks, handlelength)
                y += _extent(figure, legend).height / figure.dpi
                placed.append((legend, y))
        y += 0.04
    figure.set_figheight(y)
    for legend, top in placed:
        legend.set_bbox_to_anchor((LEFT, top), transform=figure.dpi_scale_trans)
    return figure, boxes


def _legend(figure: Figure, stacks: Sequence[Sequence[Artist]], handlelength: float) -> Legend:
    """A legend with as few lines of stacks as fit, the lines about equally full."""
    for lines in range(1, len(stacks) + 1):
        columns = -(-len(stacks) // lines)
        blank = [Line2D([], [], ls="none", label=" ")] * len(stacks[0])
        filled = [*stacks, *[blank] * (-len(stacks) % columns)]
        legend = figure.legend(
            # matplotlib fills a legend column by column
            handles=[handle for j in range(columns) for stack in filled[j::columns] for handle in stack],
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
    raise AssertionError("a legend has one column at least")


def _extent(figure: Figure, legend: Legend):
    return legend.get_window_extent(FigureCanvasAgg(figure).get_renderer())


def add_axes(figure: Figure, box: Box) -> Axes:
    """Axes at a place given in inches."""
    width, height = figure.get_size_inches()
    return figure.add_axes(
        (box.left / width, box.bottom / height, box.width / width, box.height / height)
    )


# ---- axes


def log_limits(values: np.ndarray, doublings: float = 0.3) -> tuple[float, float]:
    """Limits of a logarithmic axis, so many doublings beyond the sorted values."""
    return values[0] / 2**doublings, values[-1] * 2**doublings


def plain_numbers(axes: Axes) -> None:
    """Numbers as they are on the y axis: no powers, no common offset."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}".replace("-", "−")))


def spread(places: np.ndarray, gap: float, low: float = -np.inf, high: float = np.inf):
    """The places in [low, high] nearest to the sorted ``places``, by least squares, that are at
    least ``gap`` apart.
    """
    steps = gap * np.arange(len(places))
    apart = isotonic_regression(np.asarray(places) - steps).x
    return np.clip(apart, low, high - steps[-1]) + steps


def ticks(axes: Axes, values: np.ndarray) -> None:
    """A tick and a label at every one of the sorted values of the x axis: upright where they fit,
    else turned, moved apart and led to their ticks.

    Where there is no room for all labels, only every second, third, ... tick has one.
    """
    axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_minor_locator(NullLocator())
    texts = [f"{value:g}" for value in values]
    width, height = axes.bbox.size / axes.figure.dpi * 72
    ends = [(value, axes.get_ylim()[0]) for value in values]
    at = axes.transAxes.inverted().transform(axes.transData.transform(ends))[:, 0] * width
    digit = 0.64 * SMALL
    room = [digit * (len(a) + len(b)) / 2 + 4 for a, b in zip(texts, texts[1:], strict=False)]
    if (np.diff(at) > room).all():
        axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        return
    axes.tick_params(axis="x", labelbottom=False)
    gap = 1.2 * SMALL
    every = int(np.ceil(len(at) * gap / (width + 2 * gap)))
    at, texts = at[::every], texts[::every]
    tick, lead, pad = 3.5, 7.0, 1.5  # points below the axis
    below = {"transform": axes.transAxes, "clip_on": False}
    for start, end, text in zip(at, spread(at, gap), texts, strict=True):
        x, y = [start / width, end / width], [-tick / height, -(tick + lead) / height]
        axes.add_line(Line2D(x, y, color=INK, lw=0.5, gid="leader", **below))
        axes.text(end / width, -(tick + lead + pad) / height, text, rotation=90, ha="center",
                  va="top", fontsize=SMALL, gid="tick", **below)  # fmt: skip
    axes.xaxis.labelpad = lead + pad + digit * max(map(len, texts)) + 3
