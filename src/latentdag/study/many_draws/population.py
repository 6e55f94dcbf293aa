"""Each score over many draws: ranks of the truth, accuracy, reliability and worth; intervals; and
what wrong structures lose in prediction.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import scipy

from latentdag.engine.significance import LEVEL
from latentdag.scores import METHODS
from latentdag.study.one_draw.worth import BASELINES
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import sorted_by

QUANTILES = (10, 25, 50, 75, 90)  # percent of the draws
MEANS = ("mean_error", "mean_absolute_error", "regret", "brier", "log_probability")
MEANS += ("lost_by_top", "lost_by_average")
FEW = 5  # the truth is among the first five
MEASURES = ("mean_absolute_error", "order", "order_same_d", "total_variation", "regret")  # of worth


def share(count: int, of: int) -> tuple[float, float, float]:
    """``count`` of ``of`` as a share, and the ends of its Wilson 95 % interval; nan of none."""
    if of == 0:
        return np.nan, np.nan, np.nan
    # the interval is the same for every p that is tested; this one is tested quickly
    test = scipy.stats.binomtest(int(count), int(of), p=count / of)
    interval = test.proportion_ci(method="wilson")
    return count / of, float(interval.low), float(interval.high)


def counts(shares: pd.DataFrame) -> pd.Series:
    """A Series of the number of draws behind each share of the draws: the product of the columns
    `share` and `draws` of ``shares``, rounded.
    """
    return (shares["share"] * shares["draws"]).astype(float).round().astype(int)


def order_statistics(values: np.ndarray, percents: Iterable[int]) -> list[float]:
    """A list of the quantiles of ``values`` (D,) at ``percents``, in percent, each one of the
    values (nearest rank); nan where that is infinite, and where there are no values.
    """
    if not len(values):
        return [np.nan for _ in percents]
    quantiles = [np.quantile(values, q / 100, method="inverted_cdf") for q in percents]
    return [float(value) if np.isfinite(value) else np.nan for value in quantiles]


def population(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The table `population`, a DataFrame, from the table ``verdicts`` of all draws: by size, kind
    (structure or class) and score, quantiles of the rank of the truth, in what shares of the draws
    it is first and among the first five, with 95 % intervals, and means with standard errors. A
    truth without a score ranks after all others. Means are over the draws that have a value.
    """
    rows = [
        {"n": n, "by": by, "method": method} | _summary(group)
        for (n, by, method), group in grouped(verdicts, ["n", "by", "method"])
    ]
    return pd.DataFrame(rows, columns=TABLES["population"].columns)


def grouped(table: pd.DataFrame, of: list[str]) -> list[tuple[tuple, pd.DataFrame]]:
    """A list of the parts of ``table`` with equal values in the columns ``of``, as pairs: the tuple
    of these values, and the rows, in their order; rows with nan there are left out. Pairs are
    sorted by the tuple: methods in the registry's order, baselines last, other values ascending.
    """
    place = {m: i for i, m in enumerate((*METHODS, *BASELINES))}
    parts = table.groupby(of, sort=False)
    return sorted(parts, key=lambda part: [place.get(value, value) for value in part[0]])


def _summary(group: pd.DataFrame) -> dict:
    """A row of the table, from the verdicts by one method at one size."""
    beyond = group["rank"].fillna(np.inf).to_numpy(float)
    row = {"draws": len(group)}
    ranks = order_statistics(beyond, QUANTILES)
    row |= {f"rank_{q}": value for q, value in zip(QUANTILES, ranks, strict=True)}
    for name, most in (("first", 1), ("in_five", FEW)):
        ends = share((beyond <= most).sum(), len(group))
        row |= dict(zip((name, f"{name}_low", f"{name}_high"), ends, strict=True))
    return row | means(group, MEANS) | {"expected_first": group["top_probability"].mean()}


def means(group: pd.DataFrame, names: Iterable[str]) -> dict[str, float]:
    """A dict of the mean over the rows of ``group`` of each column of ``names``, by its name, and
    of the standard error of the mean, by the name with `_se`; nan does not count.
    """
    averages = {name: group[name].mean() for name in names}
    return averages | {f"{name}_se": group[name].sem() for name in names}


def wrong_against_true(verdicts: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by n (index) from the table ``verdicts`` of all draws, over those in which some
    score picks the true structure and another does not: by how many nats per case the wrong
    structures predict the next cases worse than the true one.

    A wrong structure counts once per draw, however many scores pick it; of several, the mean.
    Columns `draws`, `mean` and `standard_error` of the difference, and the sign of the mean if it
    is `sure` (p by Student's t below `LEVEL`), or 0.
    """
    picked = verdicts[(verdicts["by"] == "structure") & (verdicts["top"] != "")]
    picks = picked.dropna(subset="lost_by_top").drop_duplicates(["draw", "n", "top"])
    right = picks["top"] == picks["truth"]
    of_true = picks[right].set_index(["draw", "n"])["lost_by_top"]
    of_wrong = picks[~right].groupby(["draw", "n"])["lost_by_top"].mean()
    gap = (of_wrong - of_true).dropna().groupby("n")
    summary = gap.agg(draws="size", mean="mean", standard_error="sem")
    far = scipy.stats.t.ppf(1 - LEVEL / 2, summary["draws"] - 1) * summary["standard_error"]
    mean = summary["mean"]  # far is nan for one draw
    return summary.assign(sure=(mean > far).astype(int) - (mean < -far))


def reliability(counts: pd.DataFrame) -> pd.DataFrame:
    """The table `reliability`, a DataFrame, from ``counts``, the table `reliability_counts` of all
    draws: are 7 in 10 statements with p = 0.7 true? By size, score, kind of statement and bin of
    probability: their number, their mean probability, and the share that is true with its 95 %
    interval.
    """
    of = ["n", "method", "what", "bin"]
    total = counts.groupby(of)[["number", "sum_probability", "number_true"]].sum()
    total = sorted_by(total.reset_index(), of)
    total["mean_probability"] = total["sum_probability"] / total["number"]
    ends = [share(k, n) for k, n in zip(total["number_true"], total["number"], strict=True)]
    total[["share_true", "low", "high"]] = np.array(ends).reshape(-1, 3)
    return total[list(TABLES["reliability"].columns)].reset_index(drop=True)


def worth(worths: pd.DataFrame) -> pd.DataFrame:
    """The table `worth`, a DataFrame, from the table ``worths`` of all draws: by size and score the
    number of draws, and the means of `MEASURES` over them with their standard errors.
    """
    rows = [
        {"n": n, "method": method, "draws": len(group)} | means(group, MEASURES)
        for (n, method), group in grouped(worths, ["n", "method"])
    ]
    return pd.DataFrame(rows, columns=TABLES["worth"].columns)


def design_counts(design: pd.DataFrame) -> tuple[dict[str, int], dict[tuple[float, float], int]]:
    """Two dicts from the table ``design``: how many draws have each true structure, by its label,
    the most frequent first; and each prior, by its (alpha, alpha_hidden), in the order of the
    design.
    """
    priors = design.groupby(["alpha", "alpha_hidden"], sort=False).size()
    return design["true_structure"].value_counts().to_dict(), priors.to_dict()
