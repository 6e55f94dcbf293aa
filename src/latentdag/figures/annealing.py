"""Figure 2 (right) of the paper: AIS estimates against the length of the annealing schedule."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.drawing.style import FAINT, INK, TRUTH
from latentdag.ranking.trust import most_trusted
from latentdag.scores import SPECS, drawn
from latentdag.study.one_draw.annealing import length_statistics, levels

HEIGHT = 4.0  # inches, of the plot with its labels
# chains, by where they start
DOT = {"ls": "none", "marker": "o", "ms": 2.6, "mfc": "#8f8f8f", "mec": "none", "zorder": 3}
STAR = {"ls": "none", "marker": "*", "ms": 7, "mfc": TRUTH, "mec": INK, "mew": 0.5, "zorder": 5}
MEAN = {"color": INK, "lw": 1.0, "marker": "o", "ms": 3.4, "mfc": "white", "mec": INK, "mew": 0.9}


@style.styled
def annealing(
    annealing: pd.DataFrame,
    scores: pd.DataFrame,
    n: int,
    draw: int = 0,
    width: float = layout.WIDTH,
) -> Figure:
    """A figure of the log weight (nats) of every annealing chain in the table ``annealing`` of
    ``draw`` at ``n`` cases, against the length of its schedule (steps), with lines at the
    structure's ``scores``, those of `latentdag.study.schema.evidence.join_evidence`.

    The curve is the log mean weight of the chains that start at draws from the prior, with one
    standard error upwards: downwards it may have no end, as few weights make up the mean. The axis
    is linear near the most trusted score, and logarithmic far from it. The figure is ``width``
    inches wide. Raises ValueError unless the annealing table has one structure and one kind of
    transition for this draw and ``n``.
    """
    chains = annealing[(annealing["draw"] == draw) & (annealing["n"] == n)]
    kinds = chains[["structure", "transition"]].drop_duplicates()
    if len(kinds) != 1:
        names = ", ".join(" ".join(kind) for kind in kinds.to_numpy()) or "none"
        raise ValueError(f"needs chains of one kind at n = {n} of draw {draw}, found: {names}")
    scored = levels(chains, scores)
    scored = scored.loc[drawn("annealing", scored.index)]
    means = length_statistics(chains).dropna(subset="estimate").fillna({"standard_error": 0.0})

    figure = layout.page(HEIGHT, width)
    axes = figure.add_subplot()
    layout.log_ticks(axes, chains["steps"], doublings=0.55)
    _draw_chains(axes, chains)
    if len(means):
        axes.plot(means["estimate"], **MEAN, zorder=4.5, gid="mean",
                  label="log mean weight (prior) + 1 standard error")  # fmt: skip
    named = _draw_levels(axes, scored)
    centre = chains["log_weight"].iloc[-1]
    if named:
        centre = scored.loc[most_trusted(scored.index), "score"]
    of_draw = f", draw {draw}" if len(set(annealing["draw"])) > 1 else ""
    name = f"log weight (nats) of {kinds['structure'].item()}\nat n = {n}{of_draw}"
    layout.linear_near(axes, centre, name)
    # upwards, to the frame where they are longer: the points set the limits
    error = means["standard_error"]
    axes.errorbar(means.index, means["estimate"], (0 * error, error), fmt="none", ecolor=INK,
                  elinewidth=0.9, capsize=2, zorder=4)  # fmt: skip
    axes.set_xlabel("length of the annealing schedule (steps)")
    layout.add_legend(figure, handlelength=1.6)
    layout.name_values(axes, named)
    return figure


def _draw_chains(axes: Axes, chains: pd.DataFrame) -> None:
    """Chains from the prior left of their length, those from the true parameters right of it."""
    tried, number = np.unique(chains["chain"], return_inverse=True)
    left = -0.30 + 0.18 * number / max(len(tried) - 1, 1)
    x = chains["steps"] * 2.0 ** np.where(chains["start"] == "prior", left, 0.2)
    from_prior = len(set(chains.loc[chains["start"] == "prior", "chain"]))
    looks = (("prior", DOT, f"chains from {from_prior} prior draws"),
             ("true", STAR, "chain from the true parameters"))  # fmt: skip
    for start, look, words in looks:
        shown = chains["start"] == start
        if shown.any():
            axes.plot(x[shown], chains["log_weight"][shown], **look, gid=start, label=words)


def _draw_levels(axes: Axes, levels: pd.DataFrame) -> list[layout.Named]:
    """A line at every score, in a band of one standard error on both sides. Returns their names.

    A line that is wide elsewhere is less so here, where it must show small differences.
    """
    named = []
    for method, score, error in levels.itertuples():
        look = SPECS[method].look
        line = style.line(look) | {"lw": min(look.width, 1.8)}
        axes.axhline(score, **line | {"zorder": line["zorder"] - 1}, gid=f"level-{method}")
        words = f"{SPECS[method].label}\n{style.number(score)}"
        if error > 0:
            axes.axhspan(score - error, score + error, color=look.colour, alpha=0.4, lw=0,
                         zorder=1, gid=f"band-{method}")  # fmt: skip
            words += f" ± {error:.2f}"
        named.append(layout.Named(score, words, look.colour))
    if (levels["standard_error"] > 0).any():
        axes.fill_between([], [], fc=FAINT, alpha=0.4, lw=0, label="score ± 1 standard error")
    return named
