"""How EM and VBEM raise a bound, half-step by half-step. The paper has no such figure."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.drawing.style import INK, SMALL
from latentdag.figures import band
from latentdag.scores import SPECS

HEIGHT = 2.1  # inches, of a panel with its labels
SHOWN = 5  # iterations whose half-steps are shown one by one
BELOW = {"EM": "ln p(y | θ) + ln p(θ)", "VBEM": "ln evidence"}  # what the bound lies below
LINE = {"color": "#1f5fa8", "lw": 1.3, "zorder": 3}
ABOVE = {"color": INK, "lw": 0.9, "ls": (0, (4, 1.5))}
GAP = "#c4c4c4"  # colour


@style.styled
def climb(climb: pd.DataFrame, evidence: pd.DataFrame, draw: int = 0) -> Figure:
    """A figure of the bound of EM (above) and of VBEM (below), from the tables ``climb`` and
    ``evidence``: after each of the first half-steps (left), and after each iteration (right), with
    what it lies below, in nats.

    The panels of an algorithm share their axis, and the value of a half-step that is far below it
    stands in words. Raises ValueError if the climb table has nothing of this draw.
    """
    of_draw = climb[climb["draw"] == draw].set_index(["algorithm", "iteration", "half_step"])
    of_draw = of_draw.sort_index().reset_index()
    if of_draw.empty:
        raise ValueError(f"no half-steps in the climb table of draw {draw}")
    (scored,) = {*zip(of_draw["draw"], of_draw["n"], of_draw["structure"], strict=True)}
    evidence_of_structure = evidence.set_index(["draw", "n", "structure"]).loc[scored]
    level, error = evidence_of_structure[["log_evidence", "standard_error"]].fillna(0.0)
    colour = SPECS["reference"].look.colour
    algorithms = list(dict.fromkeys(of_draw["algorithm"]))
    titles = [f"{name}: {words}" for name in algorithms
              for words in ("the first half-steps", "all iterations")]  # fmt: skip
    figure, panels = layout.panels(titles, HEIGHT, 2)
    for name, left, right in zip(algorithms, panels[::2], panels[1::2], strict=True):
        of_algorithm = of_draw[of_draw["algorithm"] == name].reset_index(drop=True)
        of_algorithm["target"] = of_algorithm["target"].fillna(level)
        low = of_algorithm.loc[of_algorithm["half_step"] == "M", "bound"].iloc[0]
        high = level + 2 * error if name == "VBEM" else of_algorithm["target"].max()
        room = 0.08 * max(high - low, 1e-3)
        for axes in (left, right):
            axes.set_ylim(low - room, high + room)
            axes.yaxis.set_major_formatter("{x:g}")
            layout.grid(axes)
            if name == "VBEM":
                axes.axhspan(level - 2 * error, level + 2 * error, color=colour, alpha=0.4, lw=0,
                             zorder=1.5)  # fmt: skip
                axes.axhline(level, color=colour, lw=band.THIN, zorder=2, gid="evidence",
                             label=f"VBEM: {BELOW['VBEM']} ± 2 standard errors")  # fmt: skip
        _draw_half_steps(left, name, of_algorithm)
        _draw_iterations(right, name, of_algorithm)
    layout.share_labels(panels, "nats")
    layout.add_legend(figure)
    panels[-2].set_xlabel("half-step: E or M, and its iteration")
    panels[-1].set_xlabel("iterations")
    for name, axes in zip(algorithms, panels[1::2], strict=True):
        layout.name_values(axes, _ends(name, of_draw[of_draw["algorithm"] == name], level, error))
    return figure


def _ends(name: str, half_steps: pd.DataFrame, level: float, error: float) -> list[layout.Named]:
    """What stands right of the panels: the last bound, and the evidence."""
    bound, iterations = half_steps["bound"].iloc[-1], sum(half_steps["half_step"] == "M")
    words = f"F = {style.number(bound)}\nafter {iterations} iterations"
    named = [layout.Named(bound, words, LINE["color"])]
    if name == "VBEM":
        words = f"{BELOW[name]}\n{style.number(level)}"
        words += f" ± {2 * error:.1f}" if error > 0 else ""
        named.append(layout.Named(level, words, SPECS["reference"].look.colour))
    return named


def _draw_half_steps(axes: Axes, name: str, half_steps: pd.DataFrame) -> None:
    """The first half-steps one by one, each with its gap; one far below the axis in words."""
    first = half_steps[half_steps["iteration"] < SHOWN]
    first = first.set_index(2 * first["iteration"] + (first["half_step"] == "M"))
    is_shown = first["bound"] >= axes.get_ylim()[0]
    shown = first[is_shown]
    axes.vlines(shown.index, shown["bound"], shown["target"], gid=f"gap-{name}", color=GAP,
                lw=4.0, zorder=1, capstyle="butt", label="the gap: a KL divergence")  # fmt: skip
    if name == "EM":
        axes.plot(shown["target"], **ABOVE, marker="o", ms=5.5, mfc="none", zorder=2.5,
                  gid="target-steps",
                  label=f"EM: {BELOW['EM']}, at the half-step's θ")  # fmt: skip
    axes.plot(shown["bound"], **LINE, marker="s", ms=4.0, gid=f"steps-{name}", label="the bound F")
    axes.set_xlim(-0.6, 2 * SHOWN - 0.4)
    axes.set_xticks(first.index, first["half_step"] + first["iteration"].astype(str))
    for at, value in first.loc[~is_shown, "bound"].items():
        axes.text(at, 0.5, f"← at {style.number(value)}", rotation=90, fontsize=SMALL, ha="center",
                  va="center", transform=axes.get_xaxis_transform(), gid="far below")  # fmt: skip


def _draw_iterations(axes: Axes, name: str, half_steps: pd.DataFrame) -> None:
    """The bound after each M-step, and the gap that is left."""
    after = half_steps[half_steps["half_step"] == "M"]
    after = after.set_index(after["iteration"] + 1)
    axes.fill_between(after.index, after["bound"], after["target"], color=GAP, lw=0,
                      zorder=1, gid=f"gaps-{name}")  # fmt: skip
    if name == "EM":
        axes.plot(after["target"], **ABOVE, zorder=3.5, gid="target")
    axes.plot(after["bound"], **LINE, gid=f"bound-{name}")
    axes.set_xscale("log")
    axes.set_xlim(0.9, 1.1 * max(after.index))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
