"""How figures look: matplotlib's settings, saving, and the look of each score.

Nothing here touches pyplot or leaves a setting behind, and a user's matplotlibrc has no say: the
same tables give the same bytes. Sizes of markers, lines and fonts are in points.
"""

import functools
from io import BytesIO
from pathlib import Path

import matplotlib.style
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from latentdag.engine.files import atomic_write
from latentdag.scores import SPECS, drawn
from latentdag.scores.base import Look

INK, FAINT, GRID = "#000000", "#8a8a8a", "#dddddd"
TRUTH = "#c8452e"  # the true structure, the true parameters
SMALL, MEDIUM = 7.0, 8.5  # tick labels; axis labels
RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same on every machine
    "font.size": 8.0,
    "axes.labelsize": MEDIUM,
    "figure.labelsize": MEDIUM,
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

# for lines that are of no score, in turn
COLOURS = ("#7b3fa0", "#7fb8e6", "#7a4a1e", "#e58fbf", "#12807c", "#b5bd2b", "#8b1a2b", "#8c8c8c")
OVER_DRAWS = ("rank", "tightness")  # figures whose scores those over draws have, see `shown`


def styled(function):
    """A decorator: ``function`` runs under the settings `RC` of matplotlib, not the user's."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        with matplotlib.style.context(["default", RC]):
            return function(*args, **kwargs)

    return wrapper


class Picture(Figure):
    """A figure that Jupyter shows where it is the last value of a cell, without pyplot and without
    a magic command.
    """

    @styled
    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The picture as PNG, of 200 dots per inch, and the width in pixels at which to show it:
        half of its own, so that it is sharp on fine screens.
        """
        file = BytesIO()
        self.savefig(file, format="png", dpi=RC["savefig.dpi"])
        return file.getvalue(), {"width": round(self.get_figwidth() * RC["savefig.dpi"] / 2)}


@styled
def save(figure: Figure, png_path: str | Path, pdf_path: str | Path) -> None:
    """Write ``figure`` to ``png_path`` (200 dpi) and ``pdf_path`` (fonts embedded as Type 42), each
    file whole or not at all, neither if one cannot be drawn; without dates and versions. Raises
    OSError if a file cannot be written.
    """
    metadata = {
        "png": {"Software": None},
        "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    }
    files = {kind: BytesIO() for kind in metadata}
    for kind, file in files.items():
        figure.savefig(file, format=kind, metadata=metadata[kind], dpi=RC["savefig.dpi"])
    for kind, path in (("png", png_path), ("pdf", pdf_path)):
        with atomic_write(path) as partial:
            partial.write_bytes(files[kind].getvalue())


def shown(table: pd.DataFrame, where: str, *figures: str) -> list[str]:
    """The scores in the column ``method`` of a ``table`` that are drawn in one of these ``figures``
    (their names), in the registry's order.

    Raises ValueError if there are none, with ``where``, words for the table.
    """
    methods = {method for figure in figures for method in drawn(figure, table["method"])}
    if not methods:
        raise ValueError(f"no score of this figure in the {where}")
    return [method for method in SPECS if method in methods]


def lightness(colour: str) -> float:
    """CIE L* of a matplotlib ``colour``: 0 is black, 100 white, and what a print in grey keeps."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    y = float(np.dot([0.2126, 0.7152, 0.0722], linear))
    return 116 * y ** (1 / 3) - 16 if y > 216 / 24389 else y * 24389 / 27


def marker(look: Look, scale: float = 1.0) -> dict:
    """The marker of a score with this ``look``, ``scale`` times as large as that has it: a dict of
    keywords of matplotlib's plot.
    """
    return {
        "marker": look.marker,
        "ms": scale * look.size,
        "mfc": "white" if look.hollow else look.colour,
        "mec": INK if look.pale else look.colour,
        "mew": scale * (0.6 if look.pale else 1.0),
    }


def line(look: Look) -> dict:
    """The line of a score with this ``look``: a dict of keywords of matplotlib's plot."""
    return {
        "color": look.colour,
        "ls": look.line,
        "lw": look.width,
        "solid_capstyle": "round",
        # the thinner in front: a wide pale line stays visible behind; and broken lines in front of
        # whole ones, so that both are seen where they meet
        "zorder": 3 - look.width / 10 + (0.05 if look.line != "-" else 0.0),
    }


def number(value: float) -> str:
    """A number as text, with one decimal and a typographic minus."""
    return f"{value:.1f}".replace("-", "−")
