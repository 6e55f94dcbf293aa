"""How many cases each score needs to find the truth, relative to the evidence. The paper, with one
draw, has no such figure.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from latentdag.figures import layout, over_draws, style
from latentdag.figures.style import GRID, INK, MEDIUM, SMALL, TRUTH
from latentdag.scores import SPECS
from latentdag.study.schema.words import counted

ROW, HEAD, TICKS = 0.235, 0.3, 0.13  # inches, of a row; of the words above; of tick labels
NAMES, NUMBERS, MEDIANS = 1.2, 1.85, 1.3  # inches, of the names; of the numbers, the medians first
COLOUR = "#1f5fa8"
OUTER = {"color": COLOUR, "lw": 1.2, "solid_capstyle": "butt"}
INNER = {"color": COLOUR, "lw": 6.0, "alpha": 0.35, "solid_capstyle": "butt"}
MEDIAN = {"marker": "o", "ms": 5.5, "mfc": COLOUR, "mec": "white", "mew": 0.8, "ls": "none"}


@style.styled
def cases_needed(cases_needed: pd.DataFrame) -> Figure:
    """The ratio of sample sizes, score to evidence, from which the truth is first for good: a row
    for each score in the registry's order, which goes from cheap to dear.

    The dot is the median over the draws in which the evidence finds the truth, the bar holds their
    middle half, the line four fifths. A bar or line that reaches the column "never" holds draws in
    which the score does not find the truth. At the right are the median with its 95 % interval, and
    the share of these draws.

    Reads by, method, draws, ratio_10, ..., ratio_90, ratio_50_low, ratio_50_high, never of the
    table, of its rows by structure. Raises ValueError if it has no score of the figures over draws.
    """
    rows = cases_needed[cases_needed["by"] == "structure"].set_index("method")
    specs = [spec for spec in over_draws.drawn(rows.index) if SPECS[spec.name].judged]
    if not specs:
        raise ValueError("no score of this figure in the table of cases needed")
    rows = rows.loc[[spec.name for spec in specs]]
    ratios = rows.filter(regex=r"^ratio_\d+$").astype(float)
    low, high = _limits(ratios.to_numpy())
    never = high * 2  # where what is never found is drawn
    words = f"{counted(int(rows['draws'].max()), 'draw')} in which the evidence finds the truth"
    keys = [
        (Line2D([], [], **MEDIAN, label=f"median of {words}"),),
        (Line2D([], [], **INNER, label="middle half"),),
        (Line2D([], [], **OUTER, label="10 to 90 %"),),
    ]
    figure, (box,) = layout.page(
        [layout.Plot(ROW * len(specs) + HEAD + TICKS, [keys])], right=NUMBERS, gap=0.0
    )
    width = box.width + layout.LEFT - NAMES
    box = layout.Box(NAMES, box.bottom + TICKS, width, ROW * len(specs))
    axes = layout.add_axes(figure, box)
    _axis(axes, low, high, never, [spec.label for spec in specs])
    for place, (name, row) in enumerate(ratios.iterrows()):
        at = row.fillna(never)
        axes.plot(at[["ratio_10", "ratio_90"]], [place] * 2, **OUTER, gid=f"outer-{name}")
        axes.plot(at[["ratio_25", "ratio_75"]], [place] * 2, **INNER, gid=f"inner-{name}")
        axes.plot(at["ratio_50"], place, **MEDIAN, zorder=5, gid=f"median-{name}")
    _numbers(axes, rows)
    axes.set_xlabel("number of cases needed, relative to the evidence")
    return figure


def _limits(ratios: np.ndarray) -> tuple[float, float]:
    """Powers of 2 around the ratios and 1."""
    known = ratios[~np.isnan(ratios)]
    low, high = min(known.min(initial=1.0), 0.5), max(known.max(initial=1.0), 2.0)
    return 2.0 ** np.floor(np.log2(low)), 2.0 ** np.ceil(np.log2(high))


def _axis(axes: Axes, low: float, high: float, never: float, names: list[str]) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xlim(low / 1.2, never * 1.4)
    ticks = [*2.0 ** np.arange(np.log2(low), np.log2(high) + 1), never]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(
        FuncFormatter(
            lambda v, _: "never" if v == never else f"{v:g}×" if v >= 1 else f"1/{1 / v:g}"
        )
    )
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.yaxis.set_major_locator(FixedLocator(range(len(names))))
    axes.set_yticklabels(names, size=MEDIUM)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for tick in ticks[:-1]:
        axes.axvline(tick, color=GRID, lw=0.7, zorder=0)
    axes.axvline(1.0, color=TRUTH, lw=1.2, zorder=1, gid="evidence")
    axes.annotate("the evidence", (1.0, 1.0), (0, 4), xycoords=("data", "axes fraction"),
                  textcoords="offset points", ha="center", va="bottom", size=SMALL,
                  color=TRUTH)  # fmt: skip
    axes.axvspan(high * 2**0.5, never * 1.4, color="#f1f1f1", lw=0, zorder=0)


def _numbers(axes: Axes, rows: pd.DataFrame) -> None:
    """Right of the plot: each median with its interval, and the share that never finds it."""
    columns = {0.1: "median (95 %)", 0.1 + MEDIANS: "never"}
    width = axes.get_position().width * axes.get_figure().get_figwidth()
    for right, title in columns.items():
        axes.annotate(title, (1 + right / width, 1.0), (0, 4), xycoords="axes fraction",
                      textcoords="offset points", ha="left", va="bottom", size=SMALL,
                      color=INK)  # fmt: skip
    for place, row in enumerate(rows.itertuples()):
        texts = (_median(row), f"{100 * row.never:.0f} %")
        for right, text in zip(columns, texts, strict=True):
            axes.annotate(text, (1 + right / width, place), xycoords=("axes fraction", "data"),
                          ha="left", va="center", size=SMALL)  # fmt: skip


def _median(row) -> str:
    ends = [row.ratio_50, row.ratio_50_low, row.ratio_50_high]
    middle, low, high = ("never" if np.isnan(v) else f"{v:.3g}" for v in ends)
    return f"{middle} ({low} to {high})"
