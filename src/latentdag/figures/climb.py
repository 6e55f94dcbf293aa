"""How EM and VBEM raise a bound, half-step by half-step. The paper has no such figure."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, NullFormatter

from latentdag.figures import layout, style
from latentdag.figures.style import FAINT, INK, SMALL

HEIGHT = 1.75  # inches, of a panel
SHOWN = 5  # iterations whose half-steps are shown one by one
BELOW = {"EM": "ln p(y | θ) + ln p(θ)", "VBEM": "ln evidence"}  # what the bound lies below
BOUND = {"color": "#1f5fa8", "lw": 1.3, "marker": "s", "ms": 4.0, "zorder": 3}
TARGET = {"color": INK, "lw": 0.9, "ls": (0, (4, 1.5)), "marker": "o", "ms": 5.5, "mfc": "none"}
EVIDENCE = {"color": INK, "lw": 1.1, "ls": "-"}
GAP = {"color": "#c4c4c4", "lw": 4.0, "zorder": 1, "capstyle": "butt"}


@style.styled
def climb(climb: pd.DataFrame, evidence: pd.DataFrame, draw: int = 0) -> Figure:
    """The bound of EM (above) and of VBEM (below) after each of the first half-steps (left), and
    after each iteration (right), with what it lies below.

    Reads draw, n, structure, algorithm, iteration, half_step, bound, target of the climb table, and
    draw, n, structure, log_evidence, standard_error of the evidence table; all in nats. The panels
    of an algorithm share their axis, and the value of a half-step that is far below it stands in
    words. Raises ValueError if the climb table has nothing of this draw.
    """
    here = climb[climb["draw"] == draw].set_index(["algorithm", "iteration", "half_step"])
    here = here.sort_index().reset_index()
    if here.empty:
        raise ValueError(f"no half-steps in the climb table of draw {draw}")
    ((n, structure),) = {*zip(here["n"], here["structure"], strict=True)}
    known = evidence[(evidence["draw"] == draw) & (evidence["n"] == n)]
    known = known[known["structure"] == structure]
    level, error = known[["log_evidence", "standard_error"]].fillna(0.0).iloc[0]
    of = {
        name: here[here["algorithm"] == name].reset_index(drop=True)
        for name in dict.fromkeys(here["algorithm"])
    }
    ends = {name: _ends(name, own, level, error) for name, own in of.items()}
    titles = [
        f"{name}: {words}" for name in of for words in ("the first half-steps", "all iterations")
    ]
    right = layout.margin_for([one.name for named in ends.values() for one in named])
    figure, placed = layout.panels(titles, _keys(), HEIGHT, 2, right)
    for i, (name, own) in enumerate(of.items()):
        limits = _limits(own, level + 2 * error if name == "VBEM" else own["target"].max())
        for side, (box, title) in enumerate(placed[2 * i : 2 * i + 2]):
            axes = layout.add_axes(figure, box)
            axes.set_ylim(limits)
            layout.plain_numbers(axes)
            layout.grid(axes)
            layout.head(axes, title)
            if name == "VBEM":
                _draw_evidence(axes, level, error)
            (_draw_iterations if side else _draw_half_steps)(axes, name, own, level)
            axes.tick_params(labelleft=not side)
            if not side:
                axes.set_ylabel("nats")
            if i == len(of) - 1:
                axes.set_xlabel("iterations" if side else "half-step: E or M, and its iteration")
            if side:
                layout.name_values(axes, ends[name])
    return figure


def _keys() -> list[tuple]:
    words = f"EM: {BELOW['EM']}, at the half-step's θ"
    return [
        (Line2D([], [], **BOUND, label="the bound F"),),
        (Line2D([], [], **TARGET, label=words),),
        (Line2D([], [], **EVIDENCE, label=f"VBEM: {BELOW['VBEM']} ± 2 standard errors"),),
        (Line2D([], [], color=GAP["color"], lw=GAP["lw"], label="the gap: a KL divergence"),),
    ]


def _ends(name: str, own: pd.DataFrame, level: float, error: float) -> list[layout.Named]:
    """What stands right of the panels: the last bound, and the evidence."""
    bound, iterations = own["bound"].iloc[-1], sum(own["half_step"] == "M")
    words = f"F = {style.number(bound)}\nafter {iterations} iterations"
    found = [layout.Named(bound, words, BOUND["color"])]
    if name == "VBEM":
        words = f"{BELOW[name]}\n{style.number(level)}"
        words += f" ± {2 * error:.1f}" if error > 0 else ""
        found.append(layout.Named(level, words, INK))
    return found


def _limits(own: pd.DataFrame, high: float) -> tuple[float, float]:
    """From a little below the bound after the first M-step to a little above ``high``."""
    low = own.loc[own["half_step"] == "M", "bound"].iloc[0]
    room = 0.08 * max(high - low, 1e-3)
    return low - room, high + room


def _draw_evidence(axes: Axes, level: float, error: float) -> None:
    axes.axhspan(level - 2 * error, level + 2 * error, color=FAINT, alpha=0.5, lw=0, zorder=1.5)
    axes.axhline(level, **EVIDENCE, zorder=2, gid="evidence")


def _draw_half_steps(axes: Axes, name: str, own: pd.DataFrame, level: float) -> None:
    """The first half-steps one by one, each with its gap; one far below the axis in words."""
    first = own[own["iteration"] < SHOWN]
    place = 2 * first["iteration"] + (first["half_step"] == "M")
    shown = first["bound"] >= axes.get_ylim()[0]
    x, bound, above = place[shown], first["bound"][shown], first["target"].fillna(level)[shown]
    axes.vlines(x, bound, above, gid=f"gap-{name}", **GAP)
    if name == "EM":
        axes.plot(x, above, **TARGET, zorder=2.5, gid="target-steps")
    axes.plot(x, bound, **BOUND, gid=f"steps-{name}")
    axes.set_xlim(-0.6, 2 * SHOWN - 0.4)
    axes.xaxis.set_major_locator(FixedLocator(place))
    axes.xaxis.set_major_formatter(
        FixedFormatter(first["half_step"] + first["iteration"].astype(str))
    )
    for at, value in zip(place[~shown], first["bound"][~shown], strict=True):
        axes.text(at, 0.5, f"← at {style.number(value)}", rotation=90, fontsize=SMALL, ha="center",
                  va="center", transform=axes.get_xaxis_transform(), gid="far below")  # fmt: skip


def _draw_iterations(axes: Axes, name: str, own: pd.DataFrame, level: float) -> None:
    """The bound after each M-step, and the gap that is left."""
    after = own[own["half_step"] == "M"]
    x, above = after["iteration"] + 1, after["target"].fillna(level)
    axes.fill_between(x, after["bound"], above, color=GAP["color"], lw=0, zorder=1,
                      gid=f"gaps-{name}")  # fmt: skip
    if name == "EM":
        axes.plot(x, above, **TARGET | {"marker": None}, zorder=3.5, gid="target")
    axes.plot(x, after["bound"], **BOUND | {"marker": None}, gid=f"bound-{name}")
    axes.set_xscale("log")
    axes.set_xlim(0.9, 1.1 * max(x))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
