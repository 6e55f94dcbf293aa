"""Does a probability or a test say that no structure is true? The paper has no such figure."""

from itertools import cycle

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures.band import draws_of
from latentdag.ranking.trust import most_trusted

HEIGHT = 2.6  # inches, of a panel with its labels
PANELS = {
    "probability of the pick": "top_probability",
    "rejected by the bootstrap": "rejected",
    "lost by the pick": "lost_by_top",
}


@style.styled
def outside(outside: pd.DataFrame) -> Figure:
    """A figure of the picks by the most trusted score in the table ``outside``, against n, a line
    for each truth: the mean probability that the score gives them, and their mean divergence from
    the truth in nats per case, on a log scale, in bands of two standard errors on either side; and,
    of the reference's picks, the share that the bootstrap rejects with its 95 % interval.
    """
    picks = outside[outside["method"] == most_trusted(outside["method"].unique())]
    colours = dict(zip(picks["truth"].unique(), cycle((style.INK, *style.COLOURS))))
    figure, panels = layout.panels(list(PANELS), HEIGHT, len(PANELS))
    for axes, column in zip(panels, PANELS.values(), strict=True):
        layout.log_ticks(axes, picks["n"])
        layout.grid(axes)
        for truth, colour in colours.items():
            rows = picks[picks["truth"] == truth].set_index("n").sort_index()
            if column == "rejected":
                low, high = rows["low"], rows["high"]
            else:
                error = 2 * rows[f"{column}_se"].fillna(0.0)
                low, high = rows[column] - error, rows[column] + error
            band = {"color": colour, "alpha": 0.15, "lw": 0, "gid": f"band-{truth}"}
            axes.fill_between(rows.index, low, high, **band)
            axes.plot(rows[column], "o-", ms=3, color=colour, label=truth, gid=f"line-{truth}")
    for axes in panels[:2]:
        layout.shares(axes)
    layout.share_labels(panels[:2], f"mean, or share, of {draws_of(picks)}")
    layout.log_values(panels[2])
    layout.axis_at_right(panels[2], "nats per case")
    return layout.finished(figure, "number of cases n")
