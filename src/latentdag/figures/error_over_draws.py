"""How far each score lies from the evidence, over many draws. The paper has no such figure."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from latentdag.figures import band, layout, over_draws, style

HEIGHT = 3.0  # inches, of a panel
ASIDE = 0.56  # inches right of the panels, for the second one's axis
SIGNED, SIZE = "mean error", "mean absolute error"


@style.styled
def error_over_draws(population: pd.DataFrame) -> Figure:
    """Score minus log evidence (nats), mean over structures and draws, against the number of cases
    n; and beside it the mean of its absolute value. Bands are two standard errors over draws.

    Reads n, by, method, draws, mean_error, mean_error_se, mean_absolute_error,
    mean_absolute_error_se of the population table, of its rows by structure. The first axis is
    logarithmic on both sides of 0 and linear from -1 to 1 nat, the second logarithmic. Raises
    ValueError if the table has no error of a score of this figure.
    """
    errors = population[population["by"] == "structure"].dropna(subset="mean_error")
    specs = style.drawn("tightness", errors["method"])
    if not specs:
        raise ValueError("no error of a score of this figure in the population table")
    errors = errors[errors["method"].isin([spec.name for spec in specs])]
    looks, sizes = style.looks(), np.unique(errors["n"])
    keys = [(style.key(looks[spec.name], spec.label),) for spec in specs]
    keys += over_draws.key_of_band(f"± 2 standard errors over {over_draws.draws_of(errors)}")
    figure, panels = layout.panels([SIGNED, SIZE], keys, HEIGHT, 2, right=ASIDE, corner=True)
    for (box, title), column in zip(panels, ("mean_error", "mean_absolute_error"), strict=True):
        axes = layout.add_axes(figure, box)
        layout.decades(axes, sizes)
        layout.head(axes, title)
        value, error = errors[column], errors[f"{column}_se"].fillna(0.0)
        ends = errors.assign(low=value - 2 * error, high=value + 2 * error)
        if title == SIGNED:
            layout.symmetric(axes, min(-1.5, 1.3 * ends["low"].min()),
                             max(1.5, 1.3 * ends["high"].max()))  # fmt: skip
            axes.set_ylabel("score minus log evidence (nats)\n0: exact, below 0: too low")
        else:
            axes.set_yscale("log")
            axes.set_ylim(value.min() / 1.3, 1.3 * ends["high"].max())
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            layout.plain_numbers(axes)
            axes.yaxis.set_minor_formatter(NullFormatter())
            layout.axis_at_right(axes, "nats")
        for spec in specs:
            of_score = ends[ends["method"] == spec.name]
            line = over_draws.line(of_score, column, "low", "high")
            band.draw(axes, spec.name, looks[spec.name], line)
    layout.name_across(figure, panels, "number of cases n")
    return figure
