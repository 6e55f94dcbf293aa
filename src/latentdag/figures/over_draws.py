"""What the figures over many draws share: which scores they draw, and which of them together."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter

from latentdag.figures import style
from latentdag.figures.style import FAINT
from latentdag.scores import SPECS
from latentdag.scores.base import Spec
from latentdag.study.paper.numbers import METHODS
from latentdag.study.schema.words import counted

INTERVAL = "95 % interval (Wilson)"


def drawn(methods: Iterable[str]) -> list[Spec]:
    """Those of ``methods`` that the figures of ranks or of errors draw, in the registry's order."""
    methods = set(methods)
    shown = [spec for figure in ("rank", "tightness") for spec in style.drawn(figure, methods)]
    return [spec for spec in SPECS.values() if spec in shown]


def together(specs: list[Spec]) -> dict[str, list[Spec]]:
    """The scores of each plot by its title: the paper's methods, then the others.

    The most trustworthy is in each, to compare the others with.
    """
    judge = max(specs, key=style.trust)
    others = [spec for spec in specs if spec is not judge]
    of_paper = [spec for spec in others if spec.name in METHODS]
    groups = {"The paper's scores": of_paper} if of_paper else {}
    plots = style.shared_out([spec for spec in others if spec not in of_paper])
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


def key_of_band(words: str = INTERVAL) -> list[tuple[Artist]]:
    """The legend's key for the bands."""
    return [(Patch(fc=FAINT, alpha=0.3, label=words),)]


def share_axis(axes: Axes) -> None:
    """A y axis of shares, in per cent."""
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_locator(FixedLocator([0, 0.2, 0.4, 0.6, 0.8, 1]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * v:.0f} %"))
