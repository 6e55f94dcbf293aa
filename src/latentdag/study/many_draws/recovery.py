"""The number of cases from which each score ranks the truth first for good, over many draws."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pandas as pd
import scipy

from latentdag.engine.significance import LEVEL
from latentdag.scores import present
from latentdag.study.many_draws.population import grouped, order_statistics, share
from latentdag.study.one_draw.score_arrays import EVIDENCE
from latentdag.study.one_draw.sizes import recovery_sizes
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import sorted_by

QUANTILES = {"low": 10, "median": 50, "high": 90}  # percent of the draws
RATIOS = (10, 25, 50, 75, 90)  # percent of the draws


def recovery_table(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The table `found`, a DataFrame, from the table ``verdicts``: by draw, kind (structure or
    class) and method that ran at the draw's largest size, `n_found`, the smallest size from which
    the truth is first at this and every larger size at which the method ran; nan where it is not
    first at the largest. `above` is the largest size at which it is not first, 0 if it is first at
    every size: the number of cases from which the truth is first for good is over `above` and at
    most `n_found`.
    """
    of = ["draw", "by", "method"]
    sizes = verdicts["n"].astype(float).rename("above")
    not_first = sizes.where(verdicts["rank"] != 1, 0.0)
    above = not_first.groupby([verdicts[name] for name in of]).max()
    table = recovery_sizes(verdicts, of).join(above, on=of)
    table = table[table["n"] == table.groupby("draw")["n"].transform("max")]
    return sorted_by(table, of)[list(TABLES["found"].columns)].reset_index(drop=True)


def recovery_shares(recovery: pd.DataFrame, sizes: np.ndarray) -> pd.DataFrame:
    """The table `found_share`, a DataFrame, from ``recovery``, the table `found` of all draws: at
    each of ``sizes`` (numbers of cases), by kind (`by`) and method, the share of the draws whose
    `n_found` is that size or smaller, with its 95 % interval.
    """
    rows = [
        (n, by, method, len(group), *share((group["n_found"] <= n).sum(), len(group)))
        for n in sorted(sizes)
        for (by, method), group in grouped(recovery, ["by", "method"])
    ]
    return pd.DataFrame(rows, columns=TABLES["found_share"].columns)


def recovery_quantiles(recovery: pd.DataFrame) -> dict[str, dict[str, float]]:
    """A dict by method, from ``recovery``, rows of the table `found` with one `by`: by name, the
    `QUANTILES` over the draws of `n_found`, the size from which the truth is first for good; nan
    where it is not.
    """
    sizes = recovery.set_index("method")["n_found"].astype(float).fillna(np.inf)
    return {
        m: dict(zip(QUANTILES, order_statistics(sizes[[m]], QUANTILES.values()), strict=True))
        for m in present(recovery["method"])
    }


def comparisons(recovery: pd.DataFrame) -> pd.DataFrame:
    """The table `comparisons`, a DataFrame, from ``recovery``, the table `found`, for every ordered
    pair of scores, over the draws that have both: in how many the first finds the truth from fewer
    cases on, from more, and from as many as the other, and in how many neither finds it. What is
    not found at the largest size is later than all that is. The factor, the other's size over the
    first's, is a median with its interval of order statistics over the draws in which both find the
    truth. The ratio is the `median_ratio` of the intervals, over all draws.
    """
    rows = []
    for by, of_method in _intervals(recovery):
        for a, b in permutations(of_method, 2):
            sizes, others = of_method[a].align(of_method[b], join="inner", axis=0)
            compared = _compared(sizes["n_found"], others["n_found"])
            rows.append((by, a, b, *compared, *median_ratio(sizes, others).values()))
    return pd.DataFrame(rows, columns=TABLES["comparisons"].columns).replace(np.inf, np.nan)


def cases_needed(recovery: pd.DataFrame) -> pd.DataFrame:
    """The table `cases_needed`, a DataFrame, from ``recovery``, the table `found`: for every score
    but the evidence, over the draws in which the evidence finds the truth for good, quantiles of
    the ratio of its sample size to the evidence's. A ratio is beyond all others where the score
    never finds the truth; a quantile, or end of the median's interval, that falls there is nan.
    These are ratios of sizes that were tried. The last columns are the `median_ratio` of the
    intervals in which the numbers of cases lie, with nan for infinity. No rows without the
    evidence.
    """
    rows = []
    for by, of_method in _intervals(recovery):
        if EVIDENCE not in of_method:
            continue
        of_evidence = of_method.pop(EVIDENCE)
        finite = of_evidence[np.isfinite(of_evidence["n_found"])]
        for m, of_score in of_method.items():
            sizes, others = finite.align(of_score, join="inner", axis=0)
            ratios = (others["n_found"] / sizes["n_found"]).to_numpy()
            never = share(np.isinf(ratios).sum(), len(ratios))
            ends = *order_statistics(ratios, RATIOS), *_median(ratios)[1:]
            ratio = median_ratio(sizes, others).values()
            rows.append((by, m, len(ratios), *ends, *never, *ratio))
    return pd.DataFrame(rows, columns=TABLES["cases_needed"].columns).replace(np.inf, np.nan)


def _intervals(recovery: pd.DataFrame) -> Iterator[tuple[str, dict[str, pd.DataFrame]]]:
    """By kind, and then by method, ``above`` and ``n_found`` by draw, which is inf if never."""
    for by, group in recovery.groupby("by"):
        rows = group.assign(n_found=group["n_found"].astype(float).fillna(np.inf))
        rows = rows.set_index("draw")
        columns = ["above", "n_found"]
        yield by, {m: rows.loc[rows["method"] == m, columns] for m in present(rows["method"])}


def _compared(a: pd.Series, b: pd.Series) -> tuple:
    """A row of the table after its names, from the sizes by draw, inf where there is none."""
    finite = np.isfinite(a) & np.isfinite(b)
    earlier, later = int((a < b).sum()), int((a > b).sum())
    same, undecided = int((finite & (a == b)).sum()), int((np.isinf(a) & np.isinf(b)).sum())
    factors = (b[finite] / a[finite]).to_numpy(float)
    counts = len(a), earlier, later, same, undecided
    return *counts, *share(earlier, earlier + later), *_median(factors)


def median_ratio(sizes: pd.DataFrame, others: pd.DataFrame) -> dict[str, float]:
    """A dict of bounds on the median over the draws of the ratio of two scores' numbers of cases,
    ``others`` to ``sizes``: DataFrames of the same D draws, with an interval of each number,
    `(above, n_found]`, as columns `above` and `n_found`, which is inf if never.

    A draw's ratio lies between above / n_found and n_found / above, other to score: from 0, or to
    inf, where a score does not find the truth, or finds it at all sizes. So the median lies between
    `least` and `most`, the medians of these ends. `low` to `high` is its 95 % interval, by order
    statistics: of the lower ends for `low`, of the upper ones for `high`; 0 to inf for fewer than 6
    draws. No assumption is made of where in its interval a size lies.
    """
    with np.errstate(divide="ignore"):
        least = np.sort(others["above"].to_numpy() / sizes["n_found"].to_numpy())
        most = np.sort(others["n_found"].to_numpy() / sizes["above"].to_numpy())
    # fewer than k of D fair coins show heads with probability below 2.5 %
    k = int(scipy.stats.binom.ppf(LEVEL / 2, len(least), 0.5)) if len(least) else 0
    low, high = (least[k - 1], most[-k]) if k else (0.0, np.inf)
    return {
        "least": float(np.median(least)) if len(least) else 0.0,
        "most": float(np.median(most)) if len(most) else np.inf,
        "low": float(low),
        "high": float(high),
    }


def _median(values: np.ndarray) -> tuple[float, float, float]:
    """The median and its exact 95 % interval; ends are nan where there are too few values, and
    where both are one value: sizes are a grid, so that equal ratios do not show that the median is
    certain.
    """
    if not len(values):
        return np.nan, np.nan, np.nan
    interval = scipy.stats.quantile_test(values, p=0.5).confidence_interval(1 - LEVEL)
    low, high = float(interval.low), float(interval.high)
    return float(np.median(values)), *((low, high) if low < high else (np.nan, np.nan))
