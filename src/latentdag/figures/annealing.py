"""Figure 2 (right) of the paper: AIS estimates against the length of the annealing schedule."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator

from latentdag.figures import layout, style
from latentdag.figures.style import FAINT, INK, MEDIUM, SMALL, TRUTH
from latentdag.scores.base import Look, Spec
from latentdag.study.one_draw.annealing import by_length, levels

HEIGHT = 3.22  # inches, of the plot
SLIT, LOWER = 0.09, 0.25  # where the axis is broken: inches between its parts, the lower's share
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
    is the log mean weight of the chains that start at draws from the prior, with its standard
    error. When chains lie far below all scores, the axis is broken and they go to a lower part with
    a coarser scale. Raises ValueError unless the annealing table has one structure and one kind of
    transition for this draw and ``n``.
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
    low, split, high = _limits(chains, means, known)

    lengths = np.unique(chains["steps"])
    across = layout.Across(lengths, layout.log_limits(lengths, 0.55))
    named = [_named(spec, looks[spec.name], *known.loc[spec.name]) for spec in specs]
    figure, (box,) = layout.page(
        [layout.Plot(HEIGHT, [_keys(chains, known)])],
        across,
        right=layout.margin_for(one.name for one in named) if named else layout.RIGHT,
        handlelength=1.6,
    )
    parts = _parts(figure, box, low, split, high)
    for axes in parts:
        across.apply(axes, labels=axes is parts[-1])
        layout.plain_numbers(axes)
        _draw_chains(axes, chains)
        _draw_means(axes, means)
        _draw_levels(axes, known, looks)
    if named:
        layout.name_values(parts[0], named)
    if split is not None:
        _break(*parts, split, chains["log_weight"])
    parts[-1].set_xlabel("length of the annealing schedule (steps)")
    of_draw = f", draw {draw}" if len(set(annealing["draw"])) > 1 else ""
    figure.supylabel(f"log weight of {structure} at n = {n}{of_draw} (nats)", x=0.01, ha="left",
                     y=(box.bottom + box.height / 2) / figure.get_figheight(),
                     fontsize=MEDIUM)  # fmt: skip
    return figure


def _limits(
    chains: pd.DataFrame, means: pd.DataFrame, levels: pd.DataFrame
) -> tuple[float, float | None, float]:
    """The ends of the axis, and between them where it is broken: None if all chains are near."""
    values = chains["log_weight"].to_numpy()
    doubt = levels["score"] + 2 * levels["standard_error"]
    high = max([values.max(), *doubt, *(means["estimate"] + means["standard_error"])])
    longest = chains.loc[chains["steps"] == chains["steps"].max(), "log_weight"]
    level = min(levels["score"]) if len(levels) else longest.min()
    reach = max(high - level, 1.0)
    split = _gap(values, level - 1.5 * reach, level - 0.8 * reach)
    if values.min() < split:
        return values.min() - 0.12 * (split - values.min()), split, high + 0.03 * (high - split)
    low = min(values.min(), level) - 0.06 * reach
    return low, None, high + 0.03 * (high - low)


def _gap(values: np.ndarray, low: float, high: float) -> float:
    """The middle of the widest gap between the values in [low, high]: an axis broken there cuts no
    point in two.
    """
    edges = np.array([low, *np.sort(values[(values > low) & (values < high)]), high])
    widest = np.diff(edges).argmax()
    return float((edges[widest] + edges[widest + 1]) / 2)


def _parts(
    figure: Figure, box: layout.Box, low: float, split: float | None, high: float
) -> list[Axes]:
    """The axes: one, or two where the axis is broken, the upper first."""
    if split is None:
        axes = layout.add_axes(figure, box)
        axes.set_ylim(low, high)
        return [axes]
    lower = LOWER * (box.height - SLIT)
    upper = box.height - SLIT - lower
    parts = [
        layout.add_axes(figure, box._replace(bottom=box.bottom + lower + SLIT, height=upper)),
        layout.add_axes(figure, box._replace(height=lower)),
    ]
    parts[0].set_ylim(split, high)
    parts[1].set_ylim(low, split)
    parts[1].yaxis.set_major_locator(FixedLocator(_round_between(low, split)))
    return parts


def _round_between(low: float, high: float) -> np.ndarray:
    """One to four round numbers from low to somewhat below high."""
    least = (high - low) / 4
    unit = 10 ** np.floor(np.log10(least))
    step = unit * min(f for f in (1, 2, 5, 10) if f * unit >= least)
    return np.arange(np.ceil(low / step) * step, high - 0.15 * (high - low), step)


def _beside(chains: pd.DataFrame) -> pd.Series:
    """Where chains stand, so that all can be seen: those from the prior left of their length, those
    from the true parameters right of it.
    """
    tried, number = np.unique(chains["chain"], return_inverse=True)
    left = -0.30 + 0.18 * number / max(len(tried) - 1, 1)
    return chains["steps"] * 2.0 ** np.where(chains["start"] == "prior", left, 0.2)


def _draw_chains(axes: Axes, chains: pd.DataFrame) -> None:
    x, y = _beside(chains), chains["log_weight"]
    inside = y.between(*axes.get_ylim())
    for start, look in STARTS.items():
        shown = inside & (chains["start"] == start)
        # not clipped: no mark is cut in two where the axis is broken
        axes.plot(x[shown], y[shown], **look, gid=start, clip_on=False)


def _draw_means(axes: Axes, means: pd.DataFrame) -> None:
    mean = means["estimate"]
    axes.errorbar(means.index, mean, means["standard_error"], fmt="none", ecolor=INK,
                  elinewidth=0.9, capsize=2, zorder=4)  # fmt: skip
    # no line crosses the break
    axes.plot(mean.where(mean.between(*axes.get_ylim())), **MEAN, zorder=4.5, gid="mean",
              clip_on=False)  # fmt: skip


def _level(look: Look) -> dict:
    """The line at a score, as keywords of matplotlib: one that is wide elsewhere is less so here,
    where it must show small differences.
    """
    return style.line(look) | {
        "lw": min(look.width, 1.8),
        "ls": "-" if look.line == "none" else look.line,
    }


def _draw_levels(axes: Axes, levels: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """A line at every score, in a band of two standard errors on both sides."""
    for name, score, error in levels.itertuples():
        line = _level(looks[name])
        axes.axhline(score, **line | {"zorder": line["zorder"] - 1}, gid=f"level-{name}")
        if error > 0:
            axes.axhspan(score - 2 * error, score + 2 * error, color=looks[name].colour, alpha=0.4,
                         lw=0, zorder=1, gid=f"band-{name}")  # fmt: skip


def _break(upper: Axes, lower: Axes, split: float, values: pd.Series) -> None:
    """Two strokes where the axis is broken, and what its lower part holds."""
    upper.spines["bottom"].set_visible(False)
    upper.tick_params(bottom=False)
    stroke = {"marker": [(-1, -0.6), (1, 0.6)], "ms": 8, "ls": "none", "color": INK, "mew": 0.8}
    for axes, end in ((upper, 0), (lower, 1)):
        axes.plot(0, end, **stroke, transform=axes.transAxes, clip_on=False)
    words = f"coarser scale: the {sum(values < split)} of {len(values)} chains "
    words += f"below {style.number(split, 0)} nats"
    lower.text(0.99, 0.3, words, transform=lower.transAxes, ha="right", va="center", fontsize=SMALL)


def _keys(chains: pd.DataFrame, levels: pd.DataFrame) -> list[tuple[Artist]]:
    from_prior = len(set(chains.loc[chains["start"] == "prior", "chain"]))
    keys = []
    if from_prior:
        words = f"chains from {from_prior} prior draws"
        keys.append((Line2D([], [], **DOT | {"ms": 3.6}, label=words),))
        keys.append((Line2D([], [], **MEAN, label="their log mean weight ± standard error"),))
    if (chains["start"] == "true").any():
        keys.append((Line2D([], [], **STAR | {"ms": 8}, label="chain from the true parameters"),))
    if (levels["standard_error"] > 0).any():
        keys.append((Patch(fc=FAINT, alpha=0.4, label="score ± 2 standard errors"),))
    return keys


def _named(spec: Spec, look: Look, score: float, error: float) -> layout.Named:
    words = style.number(score) + (f" ± {2 * error:.2f}" if error > 0 else "")
    return layout.Named(score, f"{spec.label}\n{words}", look.colour)
