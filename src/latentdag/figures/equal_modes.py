"""A posterior with two equal modes, and its approximations. The paper has no such figure."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure

from latentdag.drawing import layout, style

# the densities by the table's columns, and their titles
TITLES = {
    "posterior": "True posterior",
    "q": "VB's q(θ)",
    "normal": "Laplace",
    "mixture": "Mixture of q",
}
HEIGHT = 1.65  # inches, of a panel with its labels
MAP = "Blues"  # from light to dark, in a print in grey too
CONTOURS = (0.5, 2.0, 8.0)  # densities
THIN = 0.5  # points, of contours


@style.styled
def equal_modes(equal_modes: pd.DataFrame) -> Figure:
    """A figure, from the table ``equal_modes``, of the joint density of two parameters: the true
    posterior, VB's q(theta), Laplace's normal densities at both modes, and the mixture of q and its
    mirror image; all on one root scale.
    """
    grids = {
        name: equal_modes.pivot(index="phi_2", columns="phi_1", values=name) for name in TITLES
    }
    scale = PowerNorm(0.5, 0, max(grid.to_numpy().max() for grid in grids.values()))
    figure, panels = layout.panels(list(TITLES.values()), HEIGHT, len(TITLES))
    words = ", ".join(f"{level:g}" for level in CONTOURS)
    panels[0].plot([], [], color=style.INK, lw=THIN, label=f"density {words}")
    for (name, grid), axes in zip(grids.items(), panels, strict=True):
        shown = _draw(axes, name, grid, scale)
    layout.share_labels(panels, "p(y1 = 1 | s = 2)")
    bar = figure.colorbar(
        shown, ax=panels, ticks=[0, *CONTOURS], format="%g", label="density", aspect=12, pad=0.02
    )
    for level in CONTOURS:
        bar.ax.axhline(level, color=style.INK, lw=THIN)
    bar.outline.set_linewidth(THIN)
    return layout.finished(figure, "p(y1 = 1 | s = 1)")


def _draw(axes: Axes, name: str, grid: pd.DataFrame, scale: PowerNorm):
    """One density: squares of colour, contours, and the mirror line."""
    middles = grid.columns, grid.index
    how = {"cmap": MAP, "norm": scale, "rasterized": True}
    shown = axes.pcolormesh(*middles, grid, gid=f"density-{name}", **how)
    axes.contour(*middles, grid, levels=CONTOURS, colors=style.INK, linewidths=THIN)
    axes.plot([0, 1], [0, 1], color=style.FAINT, lw=0.8, ls=(0, (3, 2)),
              label="mirror line: the states of s exchange their names")  # fmt: skip
    layout.probabilities(axes)
    axes.set_box_aspect(1)
    axes.spines[["top", "right"]].set_visible(True)
    return shown
