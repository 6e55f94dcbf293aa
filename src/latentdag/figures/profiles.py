"""What the states of the causes mean: how probable each makes the values of the variables."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter

from latentdag.figures import layout, style
from latentdag.figures.style import GRID, INK, SMALL
from latentdag.model.structures import Structure
from latentdag.scores import SPECS
from latentdag.scores.base import Look
from latentdag.study.own_data.fitted import map_estimate
from latentdag.study.own_data.marginals import most_probable
from latentdag.study.schema.candidates import by_name

COLOURS = ("#1d2452", "#a8324a", "#2e9c6e", "#e8b54a")  # of a cause's states: apart in grey too
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*", "d", "H", "8")
ALONE = Look(colour=INK, marker="|", line="-", size=5.0)  # of a variable without a cause
NAMES = (1.9, 1.2, 0.9)  # inches for names, where rows stand in one, two or three columns
TALLEST = 7.5  # inches, of a column that needs no other beside it
LONGEST = 60.0  # inches, of any column: a picture has a limit
STEP, WRITTEN = 0.075, 0.13  # inches from a point to the next, without words beside it and with
LINE, SPACE = 0.125, 0.09  # inches, of a line of a name; between rows
EDGE, APART, INDENT = 0.1, 0.16, 0.12  # inches: at margins; between columns; before values
TICKS = 0.2  # inches, for numbers below the rows
PAGE = layout.WIDTH - 2 * EDGE
BAND = "#f3f3f3"  # behind every other variable
FIRM = "\N{NO-BREAK SPACE}"


class Row(NamedTuple):
    """A value of a variable: its name, and its rows of the table of parameters, one for each
    combination of its causes' states. With no such rows, the name of a variable above its values.
    """

    variable: int
    name: str
    given: pd.DataFrame
    step: float = 0.0  # inches, from a point to the next
    indent: float = 0.0  # inches, of the name

    @property
    def height(self) -> float:
        lines = LINE * (self.name.count("\n") + 1)
        return max(lines, self.step * len(self.given)) + SPACE


@style.styled
def profiles(
    parameters: pd.DataFrame,
    posterior: pd.DataFrame,
    structures: pd.DataFrame,
    observed: Sequence[int],
    method: str,
) -> Figure:
    """The probability of each value of each observed variable, given the states of its causes: the
    posterior mean with its 90 % interval, or the MAP estimate where there is none, for the
    structure that is most probable by ``method``.

    Of a variable with two values the last is drawn, the other has the rest. The legend has the
    probability of each state, which is the size of its class. Where a variable has several causes,
    their states are written beside the points, which look like the first cause's.

    Reads structure, estimate, variable, given, value, probability, low, high, mean of the
    parameters table, in its order; structure, method, probability of the posterior table, which is
    of one draw; and structure, hidden of the structures table. ``observed`` are the variables'
    cardinalities. Raises ValueError if the parameters table lacks that structure.
    """
    masses = posterior[posterior["method"] == method].set_index("structure")
    ((best, probability),) = most_probable(masses, "probability", 1)["probability"].items()
    fitted = map_estimate(parameters, best)
    if fitted.empty:
        raise ValueError(f"the parameters table has no MAP estimate of {best}")
    structure = by_name(structures[structures["structure"] == best], observed)[best]
    structure = structure.without_childless()
    n_states = sum(structure.family.hidden)
    causes, values = fitted.iloc[:n_states], fitted.iloc[n_states:]
    several = [given for given in values["given"] if ", " in given]
    beside = max((layout.text_width(given, SMALL) + 0.06 for given in several), default=0.04)
    columns, room, without = _columns(values, structure)
    heights = [sum(row.height for row in column) for column in columns]
    height = max(heights, default=0.0)
    title = f"{best}, the most probable structure by {SPECS[method].label} (probability "
    title += f"{probability:.2g})" + (f"; no room for {without} more variables" if without else "")
    title = layout.wrapped(title, PAGE, SMALL + 1)
    looks = _looks(causes)

    figure, (box,) = layout.page(
        [layout.Plot(height + TICKS, _legends(causes, values, looks))],
        gap=0.12 + 0.14 * (title.count("\n") + 1),
        handlelength=1.3,
    )
    bottom, width = box.bottom + TICKS, PAGE / max(len(columns), 1)
    for k, (column, tall) in enumerate(zip(columns, heights, strict=True)):
        left, across = EDGE + k * width + room, width - room - beside - APART
        axes = layout.add_axes(figure, layout.Box(left, bottom + height - tall, across, tall))
        _scale(axes, tall)
        _draw(axes, column, looks, room)
    page = figure.get_figheight()
    figure.text(EDGE / layout.WIDTH, (bottom + height + 0.06) / page, title, va="bottom",
                fontsize=SMALL + 1, linespacing=1.1, gid="title")  # fmt: skip
    states = "states of its causes" if several else "state of its cause"
    figure.supxlabel(f"probability of the value, given the {states}", x=0.5, y=0.1 / page,
                     va="bottom", fontsize=style.MEDIUM)  # fmt: skip
    return figure


def _looks(causes: pd.DataFrame) -> Mapping[str, Look]:
    """How the points of each state look: colours by the state's number, hollow of every other
    cause, and a marker for each.
    """
    of_cause = [
        (cause, number, state)
        for cause, (_, rows) in enumerate(_parts(causes, "variable"))
        for number, state in enumerate(_states(rows))
    ]
    return {"": ALONE} | {
        state: Look(
            colour=COLOURS[number % len(COLOURS)],
            marker=MARKERS[i % len(MARKERS)],
            line="-",
            size=4.0,
            hollow=cause % 2 == 1,
        )
        for i, (cause, number, state) in enumerate(of_cause)
    }


def _parts(rows: pd.DataFrame, column: str) -> list[tuple[str, pd.DataFrame]]:
    """The rows with each value of a column, in their order."""
    return [(value, rows[rows[column] == value]) for value in dict.fromkeys(rows[column])]


def _states(causes: pd.DataFrame) -> list[str]:
    """The causes' states as the column given names them."""
    return [f"{r.variable} = {r.value}" for r in causes.itertuples()]


def _legends(
    causes: pd.DataFrame, values: pd.DataFrame, looks: Mapping[str, Look]
) -> list[list[tuple[Line2D]]]:
    """A legend for each cause, its states with their probabilities, and one for the rest."""
    keys = {name: [] for name in causes["variable"]}
    drawn = {given.split(", ")[0] for given in values["given"]}
    for state, r in zip(_states(causes), causes.itertuples(), strict=True):
        interval = f" ({r.low:.2f} to {r.high:.2f})" if r.low == r.low else ""
        words = f"{state}: {r.shown:.2f} of the cases{interval}"
        keys[r.variable].append(
            (Line2D([], [], ls="none", **_marker(looks[state], state in drawn), label=words),)
        )
    others = []
    if (values["given"] == "").any():
        alone = style.marker(ALONE)
        others.append((Line2D([], [], ls="none", **alone, label="of a variable without a cause"),))
    if values["low"].notna().any():
        words = "posterior mean and 90 % interval" + (", as in the words" if len(causes) else "")
        others.append((Line2D([], [], color=INK, lw=0.9, label=words),))
    return [*keys.values(), others]


def _marker(look: Look, is_drawn: bool) -> dict:
    """The marker of a state; none where no point has it, as another cause is the first of all."""
    return style.marker(look) if is_drawn else {"marker": "none"}


def _columns(values: pd.DataFrame, structure: Structure) -> tuple[list[list[Row]], float, int]:
    """The rows in as few columns side by side as are not too tall, about equally tall; the width of
    the names; and for how many variables, the last ones, there is no room. Rows of a variable stay
    together; three columns leave no room for words beside the points.
    """
    most = 2 if max(map(len, structure.parents)) > 1 else 3
    for count in range(1, most + 1):
        room = NAMES[count - 1]
        variables = _rows(values, structure, room - 0.1)
        heights = [sum(row.height for row in rows) for rows in variables]
        if sum(heights) <= count * TALLEST:
            break
    ends = list(accumulate(heights))
    shown = sum(end <= count * LONGEST for end in ends)
    middles = [end - height / 2 for end, height in zip(ends, heights, strict=True)][:shown]
    columns = [[] for _ in range(count)]
    for rows, middle in zip(variables[:shown], middles, strict=True):
        columns[int(middle / ends[shown - 1] * count)] += rows
    return [column for column in columns if column], room, len(variables) - shown


def _rows(values: pd.DataFrame, structure: Structure, room: float) -> list[list[Row]]:
    """The rows of each variable, with names at most ``room`` inches wide."""
    rows_of = []
    variables = _parts(values, "variable")
    for j, ((name, of_variable), parents) in enumerate(
        zip(variables, structure.parents, strict=True)
    ):
        step = WRITTEN if len(parents) > 1 else STEP
        of_value = _parts(of_variable, "value")
        if len(of_value) == 2:
            value, given = of_value[-1]
            words = f"{name} ={FIRM}{value}"
            rows = [Row(j, layout.wrapped(words, room), given, step)]
        else:
            rows = [Row(j, layout.wrapped(name, room), of_variable.iloc[:0])]
            for value, given in of_value:
                rows.append(Row(j, layout.wrapped(value, room - INDENT), given, step, INDENT))
        rows_of.append(rows)
    return rows_of


def _scale(axes: Axes, height: float) -> None:
    """Probabilities across, inches down."""
    axes.set(xlim=(-0.03, 1.03), ylim=(height, 0), yticks=[])
    axes.xaxis.set_major_locator(FixedLocator([0, 0.25, 0.5, 0.75, 1]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}" if v % 0.5 == 0 else ""))
    axes.grid(axis="x", color=GRID, lw=0.5)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)


def _draw(axes: Axes, rows: Sequence[Row], looks: Mapping[str, Look], room: float) -> None:
    """The rows of one column, with names from ``room`` inches left of the axes."""
    width = axes.bbox.width / axes.figure.dpi
    across = axes.get_yaxis_transform()  # x as a part of the width
    top = 0.0
    for row in rows:
        if row.variable % 2:
            band = Rectangle((-room / width, top), 1 + room / width, row.height, transform=across,
                             fc=BAND, lw=0, zorder=0, clip_on=False)  # fmt: skip
            axes.add_patch(band)
        middle = top + row.height / 2
        axes.text((row.indent - room) / width, middle, row.name, transform=across, va="center",
                  fontsize=SMALL, linespacing=1.1, parse_math=False, gid="name")  # fmt: skip
        first = middle - row.step * (len(row.given) - 1) / 2
        for i, r in enumerate(row.given.itertuples()):
            _point(axes, r, first + i * row.step, looks)
        top += row.height


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
