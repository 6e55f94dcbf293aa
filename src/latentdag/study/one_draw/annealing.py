"""How long annealing must be: log weights of the true structure's runs by length of schedule."""

import pandas as pd

from latentdag.engine.log_mean import log_mean_exp
from latentdag.study.one_draw.sizes import stays_above
from latentdag.study.schema.frames import PAIR

KIND = ["n", "structure", "transition"]  # of a run of one draw
REACHED = 1.0  # nats from the reference at which annealing is long enough


def by_length(runs: pd.DataFrame) -> pd.DataFrame:
    """By number of steps, from rows of the annealing table that differ in steps, start and chain
    alone.

    Of the chains that start at draws from the prior: their number ``chains``, the ``median`` of
    their log weights, ln of their mean weight ``estimate`` with its ``standard_error``; ``true``,
    the mean log weight of those that start at the true parameters; ``spread``, highest minus lowest
    of all; in nats.
    """
    prior = runs[runs["start"] == "prior"].groupby("steps")["log_weight"]
    means = {steps: log_mean_exp(weights.to_numpy(float)) for steps, weights in prior}
    every = runs.groupby("steps")["log_weight"]
    found = pd.DataFrame.from_dict(means, orient="index", columns=["estimate", "standard_error"])
    found = found.reindex(sorted(runs["steps"].unique()))
    found["chains"], found["median"] = prior.size(), prior.median()
    found["true"] = runs[runs["start"] == "true"].groupby("steps")["log_weight"].mean()
    found["spread"] = every.max() - every.min()
    return found


def by_kind(annealing: pd.DataFrame) -> dict[tuple[int, str, str], pd.DataFrame]:
    """`by_length` for each n, structure and kind of transition of the runs of one draw."""
    return {kind: by_length(runs) for kind, runs in annealing.groupby(KIND)}


def steps_within(values: pd.Series, level: float) -> tuple[int | None, int | None]:
    """The smallest number of steps at which ``values`` are within `REACHED` nats of ``level``, and
    the smallest from which they stay there; None if there is none.
    """
    gap = (values.dropna() - level).abs().sort_index()
    within = gap.index[gap <= REACHED]
    if not len(within):
        return None, None
    return int(within[0]), stays_above(-gap, -REACHED - 1e-12)


def reached(annealing: pd.DataFrame, scores: pd.DataFrame) -> dict[tuple[int, str, str], tuple]:
    """From how many steps the runs of one draw are near the reference, for each kind of them as
    `by_kind` has it, where the reference has a score: the number of chains; and of their log mean
    weight, and of their median, `steps_within`, the steps of the longest schedule, and its gap to
    the reference in nats, (first, for_good, longest, gap).
    """
    found = {}
    for kind, runs in annealing.groupby(KIND):
        level = levels(runs, scores)["score"].get("reference")
        lengths = by_length(runs).dropna(subset="estimate")
        if level is not None and len(lengths):
            found[kind] = (
                int(lengths["chains"].max()),
                *(
                    (*steps_within(values, level), values.index[-1], values.iloc[-1] - level)
                    for values in (lengths["estimate"], lengths["median"])
                ),
            )
    return found


def levels(annealing: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """By method, ``score`` and ``standard_error`` (0 where there is none) of the structure that was
    annealed, at its size and of its draw, in nats.
    """
    found = annealing[PAIR].drop_duplicates().merge(scores, on=PAIR).dropna(subset="score")
    found = found.drop_duplicates("method").set_index("method")[["score", "standard_error"]]
    return found.astype(float).fillna({"standard_error": 0.0})


def claimed_levels(annealing: pd.DataFrame, scores: pd.DataFrame) -> dict[str, float]:
    """The scores that the paper's claims hold annealing against, BIC and VB, by method."""
    known = levels(annealing, scores)["score"]
    return {m: float(known[m]) for m in ("bic", "vb") if m in known}
