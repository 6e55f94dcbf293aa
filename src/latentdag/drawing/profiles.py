"""What the states of the causes mean: how probable each makes the values of the variables."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import accumulate, cycle
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from latentdag.drawing import layout, style
from latentdag.drawing.style import GRID, INK, SMALL
from latentdag.model.structures import Structure
from latentdag.scores import SPECS
from latentdag.scores.base import Look

COLOURS = ("#1d2452", "#a8324a", "#2e9c6e", "#e8b54a")  # of a cause's states: apart in grey too
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d", "H", "8")
NAMES = (1.9, 1.2, 0.9)  # inches for names, where rows stand in one, two or three columns
TALLEST = 7.5  # inches, of a column that needs no other beside it
LONGEST = 60.0  # inches, of any column: a picture has a limit
STEP, WRITTEN = 0.075, 0.13  # inches from a point to the next, without words beside it and with
LINE, SPACE = 0.125, 0.09  # inches, of a line of a name; between rows
BELOW = 0.6  # inches, of numbers and a name below the rows
INDENT = 3 * "\N{NO-BREAK SPACE}"  # before values
BAND = "#f3f3f3"  # behind every other variable


class Row(NamedTuple):
    """A value of a variable: its name, and its rows of the table of parameters, one for each
    combination of its causes' states. With no such rows, the name of a variable above its values.
    """

    variable: int
    name: str
    points: pd.DataFrame
    step: float = 0.0  # inches, from a point to the next

    @property
    def height(self) -> float:
        lines = LINE * (self.name.count("\n") + 1)
        return max(lines, self.step * len(self.points)) + SPACE


@style.styled
def profiles(
    fitted: pd.DataFrame, structure: Structure, name: str, probability: float, method: str
) -> Figure:
    """A figure of the probability of each value of each observed variable, given the states of its
    causes, for the most probable ``structure``: its ``name``, its ``probability`` and the
    ``method`` are the title.

    ``fitted`` has the columns ``variable``, ``given``, ``value``, ``shown``, ``low`` and ``high``,
    a row for each probability, hidden variables first; ``low`` and ``high`` are nan without an
    interval. Of a variable with two values the last is drawn, the other has the rest. The legend
    has the probability of each state, which is the size of its class. Where a variable has several
    causes, their states are written beside the points, which look like the first cause's.
    """
    structure = structure.without_childless()
    n_states = sum(structure.family.hidden)
    causes, values = fitted.iloc[:n_states], fitted.iloc[n_states:]
    columns, room, without = _columns(values, structure)
    height = max(sum(row.height for row in column) for column in columns)
    figure, looks = layout.page(height + BELOW), _looks(causes)
    panels = figure.subplots(1, len(columns), squeeze=False)[0]
    for axes, column in zip(panels, columns, strict=True):
        axes.set_ylim(height, 0)  # inches down
        _draw(axes, column, looks, room)
    words = "probability of the value, given the "
    words += "states of its causes" if _several(structure) else "state of its cause"
    if values["low"].notna().any():
        words += "\nposterior mean and 90 % interval" + (", as in the legend" if n_states else "")
    figure.supxlabel(words)
    title = f"{name}, the most probable structure by {SPECS[method].label} (probability "
    title += f"{probability:.2g})" + (f"; no room for {without} more variables" if without else "")
    title = layout.wrapped(title, layout.WIDTH - 0.2, SMALL + 1)
    tallest = max(structure.family.hidden, default=1)
    layout.add_legend(figure, _keys(causes, values, looks, tallest), tallest, 1.3, title)
    return figure


def _several(structure: Structure) -> bool:
    """Whether a variable has several causes."""
    return max(map(len, structure.parents)) > 1


def _looks(causes: pd.DataFrame) -> Mapping[str, Look]:
    """The look of each state: colour by its number, hollow for every other cause, own marker."""
    looks = {"": Look(colour=INK, marker="|", line="-", size=5.0)}  # of a variable without a cause
    markers = cycle(MARKERS)
    for k, (name, states) in enumerate(causes.groupby("variable", sort=False)):
        for value, colour in zip(states["value"], cycle(COLOURS)):
            look = Look(colour, next(markers), line="-", size=4.0, hollow=k % 2 == 1)
            looks[f"{name} = {value}"] = look
    return looks


def _keys(
    causes: pd.DataFrame, values: pd.DataFrame, looks: Mapping[str, Look], tallest: int
) -> list[Line2D]:
    """The legend's keys: a stack of the ``tallest`` for each cause, its states with probabilities,
    and one for variables without a cause. A state without a point as the first cause has no marker.
    """
    keys = []
    first = {states_of_causes.split(", ")[0] for states_of_causes in values["given"]}
    for _, states in causes.groupby("variable", sort=False):
        for r in states.itertuples():
            state = f"{r.variable} = {r.value}"
            interval = f" ({r.low:.2f} to {r.high:.2f})" if r.low == r.low else ""
            words = f"{state}: {r.shown:.2f} of the cases{interval}"
            marker = style.marker(looks[state]) if state in first else {}
            keys.append(Line2D([], [], ls="none", **marker, label=words))
        keys += [layout.BLANK] * (tallest - len(states))
    if "" in first:
        words = "of a variable without a cause"
        keys.append(Line2D([], [], ls="none", **style.marker(looks[""]), label=words))
    return keys


def _columns(values: pd.DataFrame, structure: Structure) -> tuple[list[list[Row]], float, int]:
    """The rows in as few columns side by side as are not too tall, about equally tall; the width of
    the names; and for how many variables, the last ones, there is no room. Rows of a variable stay
    together; three columns leave no room for words beside the points.
    """
    for count in range(1, 3 if _several(structure) else 4):
        room = NAMES[count - 1]
        variables = _rows(values, structure, room - 0.1)
        heights = [sum(row.height for row in rows) for rows in variables]
        if sum(heights) <= count * TALLEST:
            break
    ends = list(accumulate(heights))
    shown = sum(end <= count * LONGEST for end in ends)
    columns = [[] for _ in range(count)]
    for rows, end, height in zip(variables[:shown], ends, heights, strict=False):
        columns[int((end - height / 2) / ends[shown - 1] * count)] += rows
    return [column for column in columns if column], room, len(variables) - shown


def _rows(values: pd.DataFrame, structure: Structure, room: float) -> list[list[Row]]:
    """The rows of each variable, with names at most ``room`` inches wide."""
    rows_of = []
    for j, (name, of_variable) in enumerate(values.groupby("variable", sort=False)):
        step = WRITTEN if len(structure.parents[j]) > 1 else STEP
        *others, (last, of_last) = of_variable.groupby("value", sort=False)
        if len(others) == 1:
            words = layout.wrapped(f"{name} =\N{NO-BREAK SPACE}{last}", room)
            rows = [Row(j, words, of_last, step)]
        else:
            rows = [Row(j, layout.wrapped(name, room), of_variable.iloc[:0])]
            for value, of_value in (*others, (last, of_last)):
                words = layout.wrapped(value, room - 0.12)
                rows.append(Row(j, textwrap.indent(words, INDENT), of_value, step))
        rows_of.append(rows)
    return rows_of


def _draw(axes: Axes, rows: Sequence[Row], looks: Mapping[str, Look], room: float) -> None:
    """The rows of one column, with names that begin ``room`` inches left of the axes."""
    axes.set_xlim(-0.03, 1.03)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axes.grid(axis="x", color=GRID, lw=0.5)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    ends = list(accumulate(row.height for row in rows))
    middles = [end - row.height / 2 for row, end in zip(rows, ends, strict=True)]
    axes.set_yticks(middles, [row.name for row in rows], ha="left", linespacing=1.1,
                    parse_math=False)  # fmt: skip
    axes.tick_params(axis="y", length=0, pad=72 * room)
    for row, end, middle in zip(rows, ends, middles, strict=True):
        if row.variable % 2:
            axes.axhspan(end - row.height, end, color=BAND, lw=0, zorder=0)
        first = middle - row.step * (len(row.points) - 1) / 2
        for i, r in enumerate(row.points.itertuples()):
            _point(axes, r, first + i * row.step, looks)


def _point(axes: Axes, r, y: float, looks: Mapping[str, Look]) -> None:
    """A probability with its interval, and the states that it is given if they are several."""
    first, *more = r.given.split(", ")
    look = looks[first]
    name = f"{r.variable} {r.value} {r.given}"
    axes.plot([r.low, r.high], [y, y], color=look.colour, lw=0.9, zorder=2, gid=f"interval-{name}")
    axes.plot(r.shown, y, **style.marker(look), zorder=3, gid=f"estimate-{name}")
    if more:
        axes.annotate(r.given, (1, y), (4, 0), xycoords=("axes fraction", "data"), va="center",
                      textcoords="offset points", fontsize=SMALL - 0.5, gid="given")  # fmt: skip
