"""How long annealing must be: log weights of the true structure's runs by length of schedule."""

import pandas as pd

from latentdag.engine.log_mean import log_mean_exp
from latentdag.study.one_draw.sizes import for_good
from latentdag.study.schema.frames import PAIR

KIND = ["n", "structure", "transition"]  # of a run of one draw
REACHED = 1.0  # nats from the reference at which annealing is long enough


def length_statistics(runs: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by number of steps (index), in nats, from ``runs``, rows of the table `annealing`
    that differ in steps, start and chain alone. Of the chains from the prior: their number
    `chains`, the `median` log weight, ln of the mean weight `estimate` with its `standard_error`.
    The mean log weight from the `true` parameters, and the `spread` of all, highest minus lowest.
    """
    every, prior, true = (
        rows.groupby("steps")["log_weight"]
        for rows in (runs, runs[runs["start"] == "prior"], runs[runs["start"] == "true"])
    )
    means = {steps: log_mean_exp(weights.to_numpy(float)) for steps, weights in prior}
    estimates = pd.DataFrame.from_dict(
        means, orient="index", columns=["estimate", "standard_error"]
    )
    return estimates.reindex(sorted(runs["steps"].unique())).assign(
        chains=prior.size(),
        median=prior.median(),
        true=true.mean(),
        spread=every.max() - every.min(),
    )


def of_one_kind(annealing: pd.DataFrame) -> pd.DataFrame:
    """The rows of the first n, structure and kind of transition in ``annealing``, the table of the
    runs of one draw, with one run at least.
    """
    return next(runs for _, runs in annealing.groupby(KIND))


def steps_near(values: pd.Series, level: float) -> int | None:
    """The smallest number of steps from which on ``values``, a series by number of steps, are
    within `REACHED` nats of ``level``; None if there is none.
    """
    return for_good((values - level).abs() < REACHED + 1e-12)


def levels(annealing: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by method (index) with the `score` and `standard_error` (0 for none), in nats, of
    the structure and data set of ``annealing``, rows of the table of that name, from the table
    ``scores``.
    """
    rows = annealing[PAIR].drop_duplicates().merge(scores, on=PAIR).dropna(subset="score")
    rows = rows.drop_duplicates("method").set_index("method")[["score", "standard_error"]]
    return rows.astype(float).fillna({"standard_error": 0.0})
