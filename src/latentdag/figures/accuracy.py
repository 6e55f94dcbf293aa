"""How often each score puts the truth first, over many draws. The paper has no such figure."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band
from latentdag.ranking.trust import most_trusted
from latentdag.scores import SPECS
from latentdag.study.paper.numbers import METHODS

HEIGHT = 2.5  # inches, of a panel with its labels
AT_ONCE = 6  # scores in one plot, at most, beside the most trustworthy
ENDS = ("first", "first_low", "first_high")


@style.styled
def accuracy(population: pd.DataFrame) -> Figure:
    """A figure, from the table ``population``: the share of draws in which each score puts the true
    structure first, against the number of cases n, and beside it the share in which it puts the
    true structure's class first.

    The most trustworthy score is in every panel: no score finds more than the evidence does, but by
    chance. A dotted line is what it expects: the mean probability of what it puts first.
    """
    methods = style.shown(population, "population table", *style.OVER_DRAWS)
    judge = most_trusted(methods)
    kinds = [kind for kind in ("structure", "class") if kind in set(population["by"])]
    groups = _together(methods, judge)
    places = [(title, kind) for title in groups for kind in kinds]
    titles = [f"{title}, by {kind}" for title, kind in places]
    figure, panels = layout.panels(titles, HEIGHT, len(kinds))
    for (group, kind), axes in zip(places, panels, strict=True):
        layout.decades(axes, population["n"])
        layout.shares(axes)
        of_kind = population[population["by"] == kind]
        for method in groups[group]:
            of_score = of_kind[of_kind["method"] == method]
            if not of_score.empty:  # by class, a score that implies no posterior
                band.draw(axes, method, of_score, ENDS)
        of_judge = of_kind[of_kind["method"] == judge].set_index("n").sort_index()
        axes.plot(of_judge["expected_first"].astype(float), color=style.INK, lw=1.0, ls=(0, (1, 1)),
                  zorder=6, gid="expected",
                  label=f"{SPECS[judge].label}: expected share")  # fmt: skip
    layout.share_labels(panels, f"share of {band.draws_of(population)}\nwith the truth first")
    band.explain(axes)
    return layout.finished(figure, "number of cases n")


def _together(methods: list[str], judge: str) -> dict[str, list[str]]:
    """By title of a plot the paper's methods, then the others, shared out about equally; and the
    ``judge`` in each.
    """
    of_paper = [m for m in methods if m in METHODS and m != judge]
    groups = {"The paper's scores": of_paper} if of_paper else {}
    others = [m for m in methods if m not in of_paper and m != judge]
    plots = -(-len(others) // AT_ONCE)
    for number, part in enumerate(np.array_split(others, plots) if plots else (), start=1):
        groups["Other scores" + f" ({number})" * (plots > 1)] = part.tolist()
    return {title: [*part, judge] for title, part in groups.items()} or {"All scores": [judge]}
