"""How long annealing must be: log weights of the true structure's runs by length of schedule."""

import pandas as pd

from latentdag.engine.log_mean import log_mean_exp
from latentdag.study.one_draw.sizes import for_good
from latentdag.study.schema.frames import PAIR

KIND = ["n", "structure", "transition"]  # of a run of one draw
REACHED = 1.0  # nats from the reference at which annealing is long enough


def length_statistics(runs: pd.DataFrame) -> pd.DataFrame:
    """By number of steps, from annealing runs that differ in steps, start and chain alone, in nats.
    Of the chains from the prior: their number ``chains``, the ``median`` log weight, ln of the mean
    weight ``estimate`` with its ``standard_error``. The mean log weight from the ``true``
    parameters, and the ``spread`` of all, highest minus lowest.
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


def by_kind(annealing: pd.DataFrame) -> dict[tuple[int, str, str], pd.DataFrame]:
    """`length_statistics` for each n, structure and kind of transition of the runs of one draw."""
    return {kind: length_statistics(runs) for kind, runs in annealing.groupby(KIND)}


def steps_within(values: pd.Series, level: float) -> tuple[int | None, int | None]:
    """The smallest number of steps at which ``values``, a series by number of steps, are within
    `REACHED` nats of ``level``, and the smallest from which they stay there; None if there is none.
    """
    gap = (values.dropna() - level).abs().sort_index()
    within = gap.index[gap <= REACHED]
    if not len(within):
        return None, None
    return int(within[0]), for_good(gap < REACHED + 1e-12)


def reached(annealing: pd.DataFrame, scores: pd.DataFrame) -> dict[tuple[int, str, str], tuple]:
    """By kind of run, as `by_kind` has them, where the reference has a score: the number of chains
    from the prior, and for their log mean weight, and then for their median, a tuple (first,
    for_good, longest, gap): the two of `steps_within` of the reference, the steps of the longest
    schedule, and there the value less the reference in nats.
    """
    reaches = {}
    for kind, runs in annealing.groupby(KIND):
        level = levels(runs, scores)["score"].get("reference")
        lengths = length_statistics(runs).dropna(subset="estimate")
        if level is not None and len(lengths):
            near = [
                (*steps_within(values, level), values.index[-1], values.iloc[-1] - level)
                for values in (lengths["estimate"], lengths["median"])
            ]
            reaches[kind] = int(lengths["chains"].max()), *near
    return reaches


def levels(annealing: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """By method (index) the ``score`` and ``standard_error`` (0 for none), in nats, of the
    structure and data set that the runs ``annealing`` are about, from the table ``scores``.
    """
    rows = annealing[PAIR].drop_duplicates().merge(scores, on=PAIR).dropna(subset="score")
    rows = rows.drop_duplicates("method").set_index("method")[["score", "standard_error"]]
    return rows.astype(float).fillna({"standard_error": 0.0})


def claimed_levels(annealing: pd.DataFrame, scores: pd.DataFrame) -> dict[str, float]:
    """The scores, in nats, that the paper's claims hold annealing against, BIC and VB, by method;
    see `levels`.
    """
    by_method = levels(annealing, scores)["score"]
    return {m: float(by_method[m]) for m in ("bic", "vb") if m in by_method}
