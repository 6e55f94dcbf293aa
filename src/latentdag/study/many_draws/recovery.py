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
from latentdag.study.schema.frames import method_columns, sorted_by

QUANTILES = (0.1, 0.5, 0.9)  # of the draws
RATIOS = (10, 25, 50, 75, 90)  # percent of the draws


def recovery_table(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The table ``found`` from the table ``verdicts``: by draw, kind (structure or class) and
    method that ran at the draw's largest size, ``n_found``, the smallest size from which the truth
    is first at this and every larger size at which the method ran; nan where it is not first at the
    largest. ``above`` is the lower end of the interval of this number of cases, see
    `recovery_intervals`.
    """
    of = ["draw", "by", "method"]
    table = recovery_sizes(verdicts, of).join(recovery_intervals(verdicts, of)["above"], on=of)
    table = table[table["n"] == table.groupby("draw")["n"].transform("max")]
    return sorted_by(table, of)[list(TABLES["found"].columns)].reset_index(drop=True)


def recovery_shares(recovery: pd.DataFrame, sizes: np.ndarray) -> pd.DataFrame:
    """The table ``found_share`` from the table ``found`` of all draws: at each of ``sizes``
    (numbers of cases), by kind (``by``) and method, the share of the draws whose ``n_found`` is
    that size or smaller, with its 95 % interval.
    """
    rows = [
        (n, by, method, len(group), *share((group["n_found"] <= n).sum(), len(group)))
        for n in sorted(sizes)
        for (by, method), group in grouped(recovery, ["by", "method"])
    ]
    return pd.DataFrame(rows, columns=TABLES["found_share"].columns)


def recovery_quantiles(recovery: pd.DataFrame) -> pd.DataFrame:
    """By method (index), from rows of the table ``found`` with one ``by``: the number of ``draws``,
    in how many the truth is ``never`` found, and the `QUANTILES` of the size from which it is, a
    column each, inf where that is none.
    """
    rows = {}
    for m in present(recovery["method"]):
        sizes = recovery.loc[recovery["method"] == m, "n_found"].astype(float).fillna(np.inf)
        rows[m] = {"draws": len(sizes), "never": int(np.isinf(sizes).sum())}
        rows[m] |= {q: np.quantile(sizes, q, method="inverted_cdf") for q in QUANTILES}
    return pd.DataFrame.from_dict(rows, orient="index")


def comparisons(recovery: pd.DataFrame) -> pd.DataFrame:
    """The table ``comparisons`` from the table ``found``, for every ordered pair of scores, over
    the draws that have both: in how many the first finds the truth from fewer cases on, from more,
    and from as many as the other, and in how many neither finds it. What is not found at the
    largest size is later than all that is. The factor, the other's size over the first's, is a
    median with its interval of order statistics over the draws in which both find the truth. The
    ratio is the `median_ratio` of the intervals, over all draws.
    """
    rows = []
    for by, sizes in _sizes(recovery):
        above = method_columns(recovery[recovery["by"] == by], "above", "draw")
        for a, b in permutations(sizes, 2):
            both = sizes[[a, b]].dropna()
            ratio = _median_ratio(above, both, a, b)
            ratio = [v if np.isfinite(v) else np.nan for v in ratio]
            rows.append((by, a, b, *_compared(both[a], both[b]), *ratio))
    return pd.DataFrame(rows, columns=TABLES["comparisons"].columns)


def cases_needed(recovery: pd.DataFrame) -> pd.DataFrame:
    """The table ``cases_needed`` from the table ``found``: for every other score, over the draws in
    which the evidence finds the truth for good, quantiles of the ratio of its sample size to the
    evidence's. A ratio is beyond all others where the score never finds the truth; a quantile, or
    end of the median's interval, that falls there is nan. These are ratios of sizes that were
    tried. The last columns are the `median_ratio` of the intervals in which the numbers of cases
    lie, with nan for infinity. No rows without the evidence.
    """
    rows = []
    for by, sizes in _sizes(recovery):
        if EVIDENCE not in sizes:
            continue
        above = method_columns(recovery[recovery["by"] == by], "above", "draw")
        finite = sizes[np.isfinite(sizes[EVIDENCE])]
        for m in sizes.columns.drop(EVIDENCE):
            both = finite[[EVIDENCE, m]].dropna()
            ratios = (both[m] / both[EVIDENCE]).to_numpy()
            never = share(np.isinf(ratios).sum(), len(ratios))
            ends = [*_median(ratios)[1:], *_median_ratio(above, both, EVIDENCE, m)]
            ends = [end if np.isfinite(end) else np.nan for end in ends]
            quantiles = order_statistics(ratios, RATIOS)
            rows.append((by, m, len(ratios), *quantiles, *ends[:2], *never, *ends[2:]))
    return pd.DataFrame(rows, columns=TABLES["cases_needed"].columns)


def _median_ratio(above: pd.DataFrame, both: pd.DataFrame, a: str, b: str) -> list[float]:
    """`median_ratio` of ``b`` to ``a`` over the draws of ``both``, which has the upper ends of
    their intervals; ``above`` has the lower ones.
    """
    ends = [pd.DataFrame({"above": above.loc[both.index, m], "up_to": both[m]}) for m in (a, b)]
    return [*median_ratio(*ends).values()]


def _sizes(recovery: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """By kind the sizes found, draw by method: inf if never, nan where the method did not run."""
    for by, group in recovery.groupby("by"):
        sizes = group.assign(n_found=group["n_found"].astype(float).fillna(np.inf))
        yield by, method_columns(sizes, "n_found", "draw")


def _compared(a: pd.Series, b: pd.Series) -> tuple:
    """A row of the table after its names, from the sizes by draw, inf where there is none."""
    finite = np.isfinite(a) & np.isfinite(b)
    earlier, later = int((a < b).sum()), int((a > b).sum())
    same, undecided = int((finite & (a == b)).sum()), int((np.isinf(a) & np.isinf(b)).sum())
    factors = (b[finite] / a[finite]).to_numpy(float)
    counts = len(a), earlier, later, same, undecided
    return *counts, *share(earlier, earlier + later), *_median(factors)


def recovery_intervals(verdicts: pd.DataFrame, of: list[str]) -> pd.DataFrame:
    """By the columns ``of`` (index), the interval ``(above, up_to]`` in which the number of cases
    lies from which the truth is first for good: between the largest size at which ``rank`` is not 1
    (0 if it is 1 at all sizes) and the next size; inf as its end where the truth is not first at
    the largest size.
    """
    rows = verdicts[[*of, "n", "rank"]]
    above = rows["n"].where(rows["rank"] != 1, 0).groupby([rows[name] for name in of]).max()
    beyond = rows["n"] > above.reindex(pd.MultiIndex.from_frame(rows[of])).to_numpy()
    up_to = rows[beyond].groupby(of)["n"].min().reindex(above.index).fillna(np.inf)
    return pd.DataFrame({"above": above.astype(float), "up_to": up_to})


def median_ratio(sizes: pd.DataFrame, others: pd.DataFrame) -> dict[str, float]:
    """The median over the draws of the ratio of two scores' numbers of cases, ``others`` to
    ``sizes``, each known as an interval ``(above, up_to]`` by draw, (D,).

    A draw's ratio lies between above / up_to and up_to / above, other to score: from 0, or to inf,
    where a score does not find the truth, or finds it at all sizes. So the median lies between
    ``least`` and ``most``, the medians of these ends. ``low`` to ``high`` is its 95 % interval, by
    order statistics: of the lower ends for ``low``, of the upper ones for ``high``; 0 to inf for
    fewer than 6 draws. No assumption is made of where in its interval a size lies.
    """
    with np.errstate(divide="ignore"):
        least = np.sort(others["above"].to_numpy() / sizes["up_to"].to_numpy())
        most = np.sort(others["up_to"].to_numpy() / sizes["above"].to_numpy())
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
