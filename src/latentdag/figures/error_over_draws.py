"""How far each score lies from the evidence, over many draws. The paper has no such figure."""

import pandas as pd
from matplotlib.figure import Figure

from latentdag.drawing import layout, style
from latentdag.figures import band

HEIGHT = 3.5  # inches, of a panel with its labels


@style.styled
def error_over_draws(population: pd.DataFrame) -> Figure:
    """A figure, from the rows by structure of the table ``population``: score minus log evidence
    (nats), mean over structures and draws, against the number of cases n; and beside it the mean of
    its absolute value. Bands are two standard errors over draws. The first axis is logarithmic on
    both sides of 0 and linear from -1 to 1 nat, the second logarithmic.
    """
    errors = population[population["by"] == "structure"].dropna(subset="mean_error")
    methods = style.shown(errors, "errors of the population table", "tightness")
    errors = errors[errors["method"].isin(methods)]
    titles = ["mean error", "mean absolute error"]
    figure, (signed, absolute) = layout.panels(titles, HEIGHT, len(titles))
    for axes, column in ((signed, "mean_error"), (absolute, "mean_absolute_error")):
        layout.decades(axes, errors["n"])
        value, error = errors[column], errors[f"{column}_se"].fillna(0.0)
        ends = errors.assign(low=value - 2 * error, high=value + 2 * error)
        if axes is signed:
            layout.symmetric(axes, ends["low"].min(), ends["high"].max())
            axes.set_ylabel("score minus log evidence (nats)\n0: exact, below 0: too low")
        else:
            layout.log_values(axes)
            axes.set_ylim(value.min() / 1.3, 1.3 * ends["high"].max())
            layout.axis_at_right(axes, "nats")
        for method in methods:
            band.draw(axes, method, ends[ends["method"] == method], (column, "low", "high"))
    band.explain(absolute, f"± 2 standard errors over {band.draws_of(errors)}")
    return layout.finished(figure, "number of cases n")
