"""How often each score puts the truth first, over many draws. The paper has no such figure."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from latentdag.figures import band, layout, over_draws, style
from latentdag.figures.style import INK
from latentdag.scores import SPECS
from latentdag.search.trust import most_trusted

HEIGHT = 2.5  # inches, of a panel with its labels
KINDS = {"structure": "by structure", "class": "by class"}


@style.styled
def accuracy(population: pd.DataFrame) -> Figure:
    """Share of draws in which each score puts the true structure first, against the number of cases
    n, and beside it the same of the true structure's class.

    Reads n, by, method, draws, first, first_low, first_high, expected_first of the population
    table. The most trustworthy score is in every panel: no score finds more than the evidence
    does, but by chance. A dotted line is what it expects of itself: the mean probability that it
    gives to what it puts first. Raises ValueError if the table has no score of this figure.
    """
    methods = style.shown(population, "population table", *over_draws.DRAWN)
    judge = most_trusted(methods)
    kinds = [kind for kind in KINDS if kind in set(population["by"])]
    groups = over_draws.together(methods)
    places = [(title, kind) for title in groups for kind in kinds]
    titles = [f"{title}, {KINDS[kind]}" for title, kind in places]
    figure, panels = layout.panels(titles, HEIGHT, len(kinds))
    for (group, kind), axes in zip(places, panels, strict=True):
        layout.decades(axes, np.unique(population["n"]))
        over_draws.share_axis(axes)
        of_kind = population[population["by"] == kind]
        for method in groups[group]:
            of_score = of_kind[of_kind["method"] == method]
            if not of_score.empty:  # by class, a score that implies no posterior
                line = over_draws.line(of_score, "first", "first_low", "first_high")
                band.draw(axes, method, line)
        of_judge = of_kind[of_kind["method"] == judge].set_index("n").sort_index()
        axes.plot(of_judge["expected_first"].astype(float), color=INK, lw=1.0, ls=(0, (1, 1)),
                  zorder=6, gid="expected",
                  label=f"{SPECS[judge].label}: expected share")  # fmt: skip
    layout.share_labels(panels, f"share of {over_draws.draws_of(population)}\nwith the truth first")
    figure.supxlabel("number of cases n")
    over_draws.explain_band(axes)
    layout.add_legend(figure)
    return figure
