"""The rank of the true structure over many draws: Figure 2 (left) of the paper, for each score."""

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band
from latentdag.figures.rank import rank_axis
from latentdag.ranking.trust import most_trusted
from latentdag.scores import SPECS

HEIGHT, ABREAST = 2.25, 4  # inches, of a panel with its labels; panels side by side, at most
QUANTILES = ["rank_10", "rank_25", "rank_50", "rank_75", "rank_90"]


@style.styled
def rank_over_draws(population: pd.DataFrame, structures: pd.DataFrame) -> Figure:
    """A figure, from the table ``population``: the rank of the true structure (1, the best, on top)
    against the number of cases n, a panel for each score: the median over draws, in bands that hold
    half of the draws and four fifths.

    Rows by structure are read; those of the table ``structures`` give the last rank. The median of
    the most trustworthy score is in every other panel, too.
    """
    by_structure = population[population["by"] == "structure"].set_index("n").sort_index()
    methods = style.shown(by_structure, "population table", *style.OVER_DRAWS)
    judge, draws = most_trusted(methods), band.draws_of(by_structure)
    of_judge = by_structure.loc[by_structure["method"] == judge, "rank_50"]
    titles = [SPECS[m].title for m in methods]
    figure, panels = layout.panels(titles, HEIGHT, layout.columns_of(len(titles), ABREAST))
    for axes, method in zip(panels, methods, strict=True):
        layout.decades(axes, by_structure.index)
        rank_axis(axes, len(structures))
        of_score = by_structure[by_structure["method"] == method]
        band.draw_median(axes, method, of_score[QUANTILES], draws, "10 to 90 %")
        if method != judge:
            words = f"median of the {SPECS[judge].label}"
            band.draw_judge(axes, judge, of_judge, method, words)
    layout.share_labels(panels, f"rank (of {len(structures)})")
    return layout.finished(figure, "number of cases n")
