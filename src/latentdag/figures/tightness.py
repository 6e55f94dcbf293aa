"""How far each score lies from the evidence, and VB from BIC. The paper has no such figure."""

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band
from latentdag.scores import SPECS
from latentdag.study.one_draw.errors import QUARTILES, quartiles_by_size, vb_minus_bic

HEIGHT, ABREAST = 2.5, 4  # inches, of a panel with its labels; panels side by side, at most
DIFFERENCE = "VB minus BIC"  # title of the panel that is of no score
TRUE = {"color": style.TRUTH, "lw": 0.9, "marker": "D", "ms": 3.6, "mfc": "white", "mew": 0.8}


@style.styled
def tightness(errors: pd.DataFrame, structures: pd.DataFrame, draw: int = 0) -> Figure:
    """A figure, from the tables ``errors`` and ``structures``: score minus log evidence (nats) of
    all structures in ``draw``, against the number of cases, a panel for each score. Where the table
    has both VB and BIC, a last panel holds their difference.

    A panel has the median, the middle half and the whole range over the structures, and the true
    structure. The scores' panels share one axis: logarithmic on both sides of 0, and linear from -1
    to 1 nat. That of VB minus BIC has its own, at its right: linear, from 0.
    """
    at_draw = errors[errors["draw"] == draw].dropna(subset="error_nats")
    methods = style.shown(at_draw, f"errors table of draw {draw}", "tightness")
    true = next(iter(structures.loc[structures["is_true"].astype(bool), "structure"]), None)
    apart = quartiles_by_size(vb_minus_bic(at_draw), true)
    at_draw = at_draw[at_draw["method"].isin(methods)]
    quartiles = quartiles_by_size(at_draw, true)

    titles = [SPECS[m].title for m in methods]
    columns = layout.columns_of(len(titles) + (len(apart) > 0), ABREAST)
    if len(apart):  # in the corner, where there is room for its axis
        titles += [*[None] * (-(len(titles) + 1) % columns), DIFFERENCE]
    figure, panels = layout.panels(titles, HEIGHT, columns)
    tables = [quartiles.loc[m] for m in methods] + ([apart.loc["vb"]] if len(apart) else [])
    names = [*methods, "vb-bic"][: len(panels)]
    count = len(set(at_draw["structure"]))
    for axes, name, table in zip(panels, names, tables, strict=True):
        layout.decades(axes, at_draw["n"])
        of_five = table[list(QUARTILES)]
        band.draw_median(axes, name, of_five, f"{count} structures", "lowest to highest")
        if true is not None:
            axes.plot(table["true"].dropna(), zorder=4, gid=f"true-{name}", **TRUE,
                      label=f"true structure {true}")  # fmt: skip
        if name in methods:
            layout.symmetric(axes, quartiles["lowest"].min(), quartiles["highest"].max())
            look = SPECS[name].look
            axes.title.set_color(style.INK if look.pale else look.colour)
        else:
            low, high = 1.05 * table["lowest"].min(), 1.05 * table["highest"].max()
            axes.set_ylim(min(0.0, low), max(1.0, high))
            layout.axis_at_right(axes, "nats")
    words = "score minus log evidence (nats)\n0: exact, below 0: too low"
    layout.share_labels(panels[: len(methods)], words)
    of_draw = f" (draw {draw})" if len(set(errors["draw"])) > 1 else ""
    return layout.finished(figure, f"number of cases n{of_draw}")
