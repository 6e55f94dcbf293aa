"""What the figures over many draws share: which scores they draw, and which of them together."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from latentdag.figures import style
from latentdag.figures.style import FAINT
from latentdag.search.trust import most_trusted
from latentdag.study.paper.numbers import METHODS
from latentdag.study.schema.words import counted

DRAWN = ("rank", "tightness")  # figures whose scores these draw, see `style.shown`
INTERVAL = "95 % interval (Wilson)"


def together(methods: list[str]) -> dict[str, list[str]]:
    """The scores of each plot by its title: the paper's methods, then the others.

    The most trustworthy is in each, to compare the others with.
    """
    judge = most_trusted(methods)
    of_paper = [m for m in methods if m in METHODS and m != judge]
    groups = {"The paper's scores": of_paper} if of_paper else {}
    plots = style.shared_out([m for m in methods if m not in of_paper and m != judge])
    for number, part in enumerate(plots, start=1):
        groups["Other scores" + f" ({number})" * (len(plots) > 1)] = part
    return {title: [*part, judge] for title, part in groups.items()} or {"All scores": [judge]}


def line(of_score: pd.DataFrame, middle: str, low: str, high: str) -> pd.DataFrame:
    """Of the rows of one score the columns that make its line and its band, by n, ascending."""
    names = {middle: "middle", low: "low", high: "high"}
    return of_score.set_index("n")[list(names)].rename(columns=names).astype(float).sort_index()


def draws_of(table: pd.DataFrame) -> str:
    """How many draws the rows of a table are over, in words."""
    low, high = int(table["draws"].min()), int(table["draws"].max())
    return ("" if low == high else f"{low} to ") + counted(high, "draw")


def explain_band(axes: Axes, words: str = INTERVAL) -> None:
    """Words for the bands in the legend."""
    axes.fill_between([], [], fc=FAINT, alpha=0.3, lw=0, label=words)


def share_axis(axes: Axes) -> None:
    """A y axis of shares, in per cent."""
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
