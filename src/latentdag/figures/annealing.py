"""Figure 2 (right) of the paper: AIS estimates against the length of the annealing schedule."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from latentdag.figures import layout, style
from latentdag.figures.style import FAINT, INK, TRUTH
from latentdag.scores.base import Look, Spec
from latentdag.study.one_draw.annealing import by_length, levels

HEIGHT = 3.22  # inches, of the plot
# chains, by where they start
DOT = {"ls": "none", "marker": "o", "ms": 2.6, "mfc": "#8f8f8f", "mec": "none", "zorder": 3}
STAR = {"ls": "none", "marker": "*", "ms": 7, "mfc": TRUTH, "mec": INK, "mew": 0.5, "zorder": 5}
STARTS = {"prior": DOT, "true": STAR}
MEAN = {"color": INK, "lw": 1.0, "marker": "o", "ms": 3.4, "mfc": "white", "mec": INK, "mew": 0.9}


@style.styled
def annealing(annealing: pd.DataFrame, scores: pd.DataFrame, n: int, draw: int = 0) -> Figure:
    """The log weight (nats) of every annealing chain against the length of its schedule (steps).

    Reads draw, n, structure, transition, steps, start, chain, log_weight of the annealing table,
    and draw, n, structure, method, score, standard_error of the scores table
    `latentdag.study.schema.evidence.with_evidence`, for lines at the structure's scores. The curve
    is the log mean weight of the chains that start at draws from the prior, with one standard error
    upwards: downwards it may have no end, as few weights make up the mean. The axis is linear near
    the most trusted score, and logarithmic far from it. Raises ValueError unless the annealing
    table has one structure and one kind of transition for this draw and ``n``.
    """
    chains = annealing[(annealing["draw"] == draw) & (annealing["n"] == n)]
    kinds = chains[["structure", "transition"]].drop_duplicates()
    if len(kinds) != 1:
        found = ", ".join(" ".join(kind) for kind in kinds.to_numpy()) or "none"
        raise ValueError(f"needs chains of one kind at n = {n} of draw {draw}, found: {found}")
    structure = chains["structure"].iloc[0]
    known = levels(chains, scores)
    specs = style.drawn("annealing", known.index)
    known = known.loc[[spec.name for spec in specs]]
    looks = style.looks()
    means = by_length(chains).dropna(subset="estimate").fillna({"standard_error": 0.0})

    lengths = np.unique(chains["steps"])
    across = layout.Across(lengths, layout.log_limits(lengths, 0.55))
    named = [_named(spec, looks[spec.name], *known.loc[spec.name]) for spec in specs]
    figure, (box,) = layout.page(
        [layout.Plot(HEIGHT, [_keys(chains, known)])],
        across,
        right=layout.margin_for(one.name for one in named) if named else layout.RIGHT,
        handlelength=1.6,
    )
    axes = layout.add_axes(figure, box)
    across.apply(axes)
    _draw_chains(axes, chains)
    _draw_means(axes, means)
    _draw_levels(axes, known, looks)
    near = max(specs, key=style.trust).name if specs else None
    centre = known.loc[near, "score"] if near else chains["log_weight"].iloc[-1]
    scale = layout.linear_near(axes, centre)
    _draw_errors(axes, means)
    if named:
        layout.name_values(axes, named)
    axes.set_xlabel("length of the annealing schedule (steps)")
    of_draw = f", draw {draw}" if len(set(annealing["draw"])) > 1 else ""
    name = f"log weight of {structure} at n = {n}{of_draw} (nats)"
    axes.set_ylabel("\n".join(filter(None, [name, scale])))
    return figure


def _beside(chains: pd.DataFrame) -> pd.Series:
    """Where chains stand, so that all can be seen: those from the prior left of their length, those
    from the true parameters right of it.
    """
    tried, number = np.unique(chains["chain"], return_inverse=True)
    left = -0.30 + 0.18 * number / max(len(tried) - 1, 1)
    return chains["steps"] * 2.0 ** np.where(chains["start"] == "prior", left, 0.2)


def _draw_chains(axes: Axes, chains: pd.DataFrame) -> None:
    x, y = _beside(chains), chains["log_weight"]
    for start, look in STARTS.items():
        shown = chains["start"] == start
        axes.plot(x[shown], y[shown], **look, gid=start)


def _draw_means(axes: Axes, means: pd.DataFrame) -> None:
    axes.plot(means["estimate"], **MEAN, zorder=4.5, gid="mean")


def _draw_errors(axes: Axes, means: pd.DataFrame) -> None:
    """Upwards, to the frame where they are longer: the points set the limits."""
    error = means["standard_error"]
    axes.errorbar(means.index, means["estimate"], (0 * error, error), fmt="none", ecolor=INK,
                  elinewidth=0.9, capsize=2, zorder=4)  # fmt: skip


def _level(look: Look) -> dict:
    """The line at a score, as keywords of matplotlib: one that is wide elsewhere is less so here,
    where it must show small differences.
    """
    return style.line(look) | {
        "lw": min(look.width, 1.8),
        "ls": "-" if look.line == "none" else look.line,
    }


def _draw_levels(axes: Axes, levels: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """A line at every score, in a band of one standard error on both sides."""
    for name, score, error in levels.itertuples():
        line = _level(looks[name])
        axes.axhline(score, **line | {"zorder": line["zorder"] - 1}, gid=f"level-{name}")
        if error > 0:
            axes.axhspan(score - error, score + error, color=looks[name].colour, alpha=0.4,
                         lw=0, zorder=1, gid=f"band-{name}")  # fmt: skip


def _keys(chains: pd.DataFrame, levels: pd.DataFrame) -> list[tuple[Artist]]:
    from_prior = len(set(chains.loc[chains["start"] == "prior", "chain"]))
    keys = []
    if from_prior:
        words = f"chains from {from_prior} prior draws"
        keys.append((Line2D([], [], **DOT | {"ms": 3.6}, label=words),))
        keys.append((Line2D([], [], **MEAN, label="their log mean weight + 1 standard error"),))
    if (chains["start"] == "true").any():
        keys.append((Line2D([], [], **STAR | {"ms": 8}, label="chain from the true parameters"),))
    if (levels["standard_error"] > 0).any():
        keys.append((Patch(fc=FAINT, alpha=0.4, label="score ± 1 standard error"),))
    return keys


def _named(spec: Spec, look: Look, score: float, error: float) -> layout.Named:
    words = style.number(score) + (f" ± {error:.2f}" if error > 0 else "")
    return layout.Named(score, f"{spec.label}\n{words}", look.colour)
