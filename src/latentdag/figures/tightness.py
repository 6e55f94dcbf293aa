"""How far each score lies from the evidence, and VB from BIC. The paper has no such figure."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from latentdag.figures import layout, style
from latentdag.figures.style import INK, TRUTH
from latentdag.study.one_draw.errors import quartiles_by_size, vb_minus_bic

HEIGHT = 2.0  # inches, of a panel
ACROSS = 4  # panels side by side, at most
ASIDE = 0.56  # inches right of the panels, for an axis of its own
DIFFERENCE = "VB minus BIC"  # title of the panel that is of no score
# bands over the structures, by the columns of their ends: what they hold, and their colour
BANDS = {
    ("lowest", "highest"): ("lowest to highest", "#e4e4e4"),
    ("lower", "upper"): ("middle half", "#b9b9b9"),
}
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
    looks = style.looks()
    true = next(iter(structures.loc[structures["is_true"].astype(bool), "structure"]), None)
    apart = quartiles_by_size(vb_minus_bic(here), true)
    here = here[here["method"].isin([spec.name for spec in specs])]
    quartiles = quartiles_by_size(here, true)

    corner = len(apart) > 0
    titles = [spec.title for spec in specs] + [DIFFERENCE] * corner
    keys = _keys(len(set(here["structure"])), true)
    figure, panels = layout.panels(
        titles, keys, HEIGHT, ACROSS, ASIDE if corner else layout.RIGHT, corner
    )
    sizes = np.unique(here["n"])
    # a little beyond the errors, and at least 1.5 nats on both sides of 0
    reach = min(-1.5, 1.3 * quartiles["lowest"].min()), max(1.5, 1.3 * quartiles["highest"].max())
    for spec, (box, title) in zip(specs, panels, strict=False):  # the last may be of no score
        axes = layout.add_axes(figure, box)
        layout.decades(axes, sizes)
        layout.symmetric(axes, *reach)
        words = "score minus log evidence (nats)\n0: exact, below 0: too low"
        layout.label_leftmost(axes, box, words)
        colour = INK if looks[spec.name].pale else looks[spec.name].colour
        layout.head(axes, title, colour)
        _draw(axes, spec.name, quartiles.loc[spec.name])
    if corner:
        box, title = panels[-1]
        axes = layout.add_axes(figure, box)
        _set_up_apart(axes, sizes, apart["lowest"].min(), apart["highest"].max())
        layout.head(axes, title)
        _draw(axes, "vb-bic", apart.loc["vb"])
    of_draw = f" (draw {draw})" if len(set(errors["draw"])) > 1 else ""
    layout.name_across(figure, panels, f"number of cases n{of_draw}")
    return figure


def _keys(count: int, true: str | None) -> list[tuple]:
    keys = [
        (Line2D([], [], **MEDIAN, label=f"median of {count} structures"),),
        *((Patch(color=colour, label=label),) for label, colour in reversed(BANDS.values())),
    ]
    if true is not None:
        keys.append((Line2D([], [], **TRUE, label=f"true structure {true}"),))
    return keys


def _set_up_apart(axes: Axes, sizes: np.ndarray, lowest: float, highest: float) -> None:
    """The axes of VB minus BIC, with its scale at the right."""
    layout.decades(axes, sizes)
    axes.set_ylim(min(0.0, 1.05 * lowest), max(1.0, 1.05 * highest))
    layout.plain_numbers(axes)
    layout.axis_at_right(axes, "nats")


def _draw(axes: Axes, name: str, quartiles: pd.DataFrame) -> None:
    """The median over structures in bands that hold half of them and all, and the true structure;
    ``quartiles`` by n.
    """
    for (low, high), (_, grey) in BANDS.items():
        axes.fill_between(quartiles.index, quartiles[low], quartiles[high], lw=0, zorder=1,
                          gid=f"band-{name}", color=grey)  # fmt: skip
    axes.plot(quartiles["median"], zorder=3, gid=f"median-{name}", **MEDIAN)
    axes.plot(quartiles["true"].dropna(), zorder=4, gid=f"true-{name}", **TRUE)
