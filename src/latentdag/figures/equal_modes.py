"""A posterior with two equal modes, and what approximations make of it. The paper has no such
figure.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter

from latentdag.figures import layout, style
from latentdag.figures.style import FAINT, INK, MEDIUM

# the densities by the table's columns, and their titles
TITLES = {
    "posterior": "True posterior",
    "q": "VB's q(θ)",
    "normal": "Laplace",
    "mixture": "Mixture of q",
}
HEIGHT, RIGHT = 1.2, 0.85  # inches: of a panel; right of the panels, for the scale
MAP = "Blues"  # from light to dark, in a print in grey too
CONTOURS = (0.5, 2.0, 8.0)  # densities
CONTOUR = {"colors": INK, "linewidths": 0.5}
MIRROR = {"color": FAINT, "lw": 0.8, "ls": (0, (3, 2))}


@style.styled
def equal_modes(equal_modes: pd.DataFrame) -> Figure:
    """The joint density of two parameters: the true posterior, VB's q(theta), Laplace's normal
    densities at both modes, and the mixture of q and its mirror image; on one scale, of the roots
    of densities.

    Reads phi_1, phi_2, posterior, q, normal, mixture of the equal_modes table: the densities on a
    grid of squares by the squares' middles.
    """
    grids = {
        name: equal_modes.pivot(index="phi_2", columns="phi_1", values=name) for name in TITLES
    }
    scale = PowerNorm(0.5, 0, max(grid.to_numpy().max() for grid in grids.values()))
    figure, placed = layout.panels(list(TITLES.values()), _keys(), HEIGHT, len(TITLES), RIGHT)
    for (name, grid), (box, title) in zip(grids.items(), placed, strict=True):
        axes = layout.add_axes(figure, box)
        shown = _draw(axes, name, grid, scale)
        layout.head(axes, title)
        layout.label_leftmost(axes, box, "p(y1 = 1 | s = 2)")
    last = placed[-1][0]
    bar = layout.add_axes(figure, last._replace(left=last.left + last.width + 0.15, width=0.1))
    figure.colorbar(shown, cax=bar, ticks=[0, *CONTOURS], format="%g")
    for level in CONTOURS:
        bar.axhline(level, color=CONTOUR["colors"], lw=CONTOUR["linewidths"])
    bar.set_ylabel("density", fontsize=MEDIUM)
    bar.spines["outline"].set_linewidth(0.5)
    layout.name_across(figure, placed, "p(y1 = 1 | s = 1)")
    return figure


def _keys() -> list[tuple]:
    words = ", ".join(f"{level:g}" for level in CONTOURS)
    return [
        (Line2D([], [], color=INK, lw=CONTOUR["linewidths"], label=f"density {words}"),),
        (Line2D([], [], **MIRROR, label="mirror line: the states of s exchange their names"),),
    ]


def _draw(axes: Axes, name: str, grid: pd.DataFrame, scale: PowerNorm):
    """One density: squares of colour, contours, and the mirror line."""
    half = (grid.columns[1] - grid.columns[0]) / 2
    x, y = (np.append(middles - half, middles[-1] + half) for middles in (grid.columns, grid.index))
    shown = axes.pcolormesh(
        x, y, grid, cmap=MAP, norm=scale, gid=f"density-{name}", rasterized=True
    )
    axes.contour(grid.columns, grid.index, grid, levels=CONTOURS, **CONTOUR)
    axes.plot([0, 1], [0, 1], **MIRROR)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(FixedLocator([0, 0.5, 1]))
        axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    for spine in ("top", "right"):
        axes.spines[spine].set_visible(True)
    return shown
