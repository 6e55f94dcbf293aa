"""Cases that each score needs, over the evidence's. The paper has no such figure."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.drawing.style import GRID, MEDIUM, SMALL
from latentdag.figures import band
from latentdag.scores import SPECS
from latentdag.study.schema.words import counted

ROW, ABOVE_AND_BELOW = 0.25, 0.75  # inches, of a row; of the words above and below
NUMBERS = {"median (95 %)": 8, "never": 112}  # points right of the plot, of columns of numbers
COLOUR = "#1f5fa8"
OUTER = {"color": COLOUR, "lw": 1.2, "solid_capstyle": "butt"}
INNER = {"color": COLOUR, "lw": 6.0, "alpha": 0.35, "solid_capstyle": "butt"}
MEDIAN = {"color": COLOUR, "lw": 3.4, "solid_capstyle": "round"}


@style.styled
def cases_needed(cases_needed: pd.DataFrame) -> Figure:
    """A figure, from the table ``cases_needed``: the ratio, score to evidence, of the sample sizes
    from which on the truth is ranked first at every size, a row for each score in the registry's
    order, which goes from cheap to dear.

    The dark bar is where the median over the draws in which the evidence finds the truth lies, as a
    number of cases is known as an interval. Of the ratios of sizes that were tried the light bar
    holds the middle half, the line four fifths. What reaches the column "never" holds draws in
    which the score does not find the truth. At the right are the median with its 95 % interval, and
    the share of these draws. Rows by structure are read.
    """
    rows = cases_needed[cases_needed["by"] == "structure"].set_index("method", drop=False)
    judged = [SPECS[m].judged for m in rows["method"]]
    rows = rows.loc[style.shown(rows[judged], "table of cases needed", *style.OVER_DRAWS)]
    ratios = rows.filter(regex=r"^ratio_\d+$").astype(float)
    figure = layout.page(ROW * len(rows) + ABOVE_AND_BELOW)
    axes = figure.add_subplot()
    medians = rows[["ratio_least", "ratio_most"]].astype(float)
    never = _axis(axes, np.column_stack([ratios, medians.replace(0.0, np.nan)]))
    axes.set_yticks(range(len(rows)), [SPECS[m].label for m in rows.index], size=MEDIUM)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for place, (name, row) in enumerate(ratios.fillna(never).iterrows()):
        axes.plot(row[["ratio_10", "ratio_90"]], [place] * 2, **OUTER, gid=f"outer-{name}")
        axes.plot(row[["ratio_25", "ratio_75"]], [place] * 2, **INNER, gid=f"inner-{name}")
        ends = medians.loc[name].fillna(never).clip(axes.get_xlim()[0])
        axes.plot(ends, [place] * 2, **MEDIAN, zorder=5, gid=f"median-{name}")
    _numbers(axes, rows)
    words = f"{counted(int(rows['draws'].max()), 'draw')} in which the evidence finds the truth"
    for look, label in ((MEDIAN, f"median of {words}"), (INNER, "middle half"),
                        (OUTER, "10 to 90 %")):  # fmt: skip
        axes.plot([], [], **look, label=label)
    layout.add_legend(figure)
    return figure


def _axis(axes: Axes, ratios: np.ndarray) -> float:
    """The x axis: powers of 2 around the ratios and 1. Returns the place of what is never found."""
    low = np.floor(np.log2(np.nanmin(ratios, initial=0.5)))
    high = np.ceil(np.log2(np.nanmax(ratios, initial=2.0)))
    ticks, never = 2.0 ** np.arange(low, high + 1), 2.0 ** (high + 1)
    axes.set_xscale("log", base=2)
    labels = [f"{tick:g}×" if tick >= 1 else f"1/{1 / tick:g}" for tick in ticks]
    axes.set_xticks([*ticks, never], [*labels, "never"])
    axes.set_xticks([], minor=True)
    axes.set_xlim(ticks[0] / 1.2, never * 1.4)
    axes.set_xlabel("number of cases needed, relative to the evidence")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for tick in ticks:
        axes.axvline(tick, color=GRID, lw=0.7, zorder=0)
    colour = SPECS["reference"].look.colour
    axes.axvline(1.0, color=colour, lw=band.THIN, zorder=1, gid="evidence")
    axes.annotate("the evidence", (1.0, 1.0), (0, 4), xycoords=("data", "axes fraction"),
                  textcoords="offset points", ha="center", size=SMALL)  # fmt: skip
    axes.axvspan(never / 2**0.5, never * 1.4, color="#f1f1f1", lw=0, zorder=0)
    return never


def _numbers(axes: Axes, rows: pd.DataFrame) -> None:
    """Right of the plot: where a median lies, its interval, and the share that never finds it."""
    for place, row in enumerate(rows.itertuples()):
        ends = row.ratio_least, row.ratio_most, row.ratio_low, row.ratio_high
        least, most, low, high = ("∞" if np.isnan(end) else f"{end:.3g}" for end in ends)
        texts = (f"{least}–{most} ({low}–{high})", f"{100 * row.never:.0f} %")
        for right, text in zip(NUMBERS.values(), texts, strict=True):
            axes.annotate(text, (1, place), (right, 0), xycoords=("axes fraction", "data"),
                          textcoords="offset points", va="center", size=SMALL)  # fmt: skip
    for title, right in NUMBERS.items():
        axes.annotate(title, (1, 1), (right, 4), xycoords="axes fraction",
                      textcoords="offset points", size=SMALL)  # fmt: skip
