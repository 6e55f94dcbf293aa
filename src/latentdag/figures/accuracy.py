"""How often each score puts the truth first, over many draws. The paper has no such figure."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from latentdag.figures import band, layout, over_draws, style
from latentdag.figures.style import INK

HEIGHT = 2.1  # inches, of a panel
EXPECTED = {"color": INK, "lw": 1.0, "ls": (0, (1, 1))}
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
    specs = over_draws.drawn(population["method"])
    if not specs:
        raise ValueError("no score of this figure in the population table")
    looks, groups = style.looks(), over_draws.together(specs)
    judge = max(specs, key=style.trust)
    kinds = [kind for kind in KINDS if kind in set(population["by"])]
    places = [(title, kind) for title in groups for kind in kinds]
    keys = [(style.key(looks[spec.name], spec.label),) for spec in specs]
    keys.append((Line2D([], [], **EXPECTED, label=f"{judge.label}: expected share"),))
    keys += over_draws.key_of_band()
    titles = [f"{title}, {KINDS[kind]}" for title, kind in places]
    figure, panels = layout.panels(titles, keys, HEIGHT, len(kinds))
    for (group, kind), (box, title) in zip(places, panels, strict=True):
        axes = layout.add_axes(figure, box)
        layout.decades(axes, np.unique(population["n"]))
        over_draws.share_axis(axes)
        layout.head(axes, title)
        words = f"share of {over_draws.draws_of(population)}\nwith the truth first"
        layout.label_leftmost(axes, box, words)
        of_kind = population[population["by"] == kind]
        for spec in groups[group]:
            of_score = of_kind[of_kind["method"] == spec.name]
            if of_score.empty:  # by class, a score that implies no posterior
                continue
            line = over_draws.line(of_score, "first", "first_low", "first_high")
            band.draw(axes, spec.name, looks[spec.name], line)
        of_judge = of_kind[of_kind["method"] == judge.name]
        expected = of_judge.set_index("n")["expected_first"].sort_index()
        axes.plot(expected.index, expected.astype(float), **EXPECTED, zorder=6, gid="expected")
    layout.name_across(figure, panels, "number of cases n")
    return figure
