"""Differences between two scores: VB minus BIC as the number of cases grows, variants of one score,
and how much of VB's error is ln M.

By the thesis (sec. 2.6.1, eq. 2.132) VB and BIC are both the log likelihood less (d / 2) ln n, up
to terms that stay bounded. Where VB minus BIC grows, it grows by 1/2 nat per unit of ln n for each
parameter that BIC penalises and VB does not. Two kinds are known: the parameters of hidden
variables without children, which VB leaves out and d counts; and those of a singular model, whose
coefficient of ln n is at most d / 2 (Watanabe & Watanabe 2006, J. Mach. Learn. Res. 7, 625-644, for
mixtures of normal distributions).
"""

import numpy as np
import pandas as pd

from latentdag.study.one_draw.errors import SLACK
from latentdag.study.schema.frames import method_columns

# at MAP or at ML; with q(theta) or at the MAP estimate
GROWTH_FACTOR = 8  # growth is measured over the last factor of 8 in n
# each drops a restriction of the one before it, and the evidence the last one
TOWARDS_EVIDENCE = ("vb", "vb_collapsed", "vb_mix", "reference")
BY = ["n", "structure"]


def score_gap(scores: pd.DataFrame, a: str, b: str) -> pd.Series:
    """The score ``a`` less the score ``b``, in nats, by n and structure (index), from the table
    ``scores`` of one draw, where there are both.
    """
    return _gap(method_columns(scores, "score", BY), a, b)


def _gap(wide: pd.DataFrame, a: str, b: str) -> pd.Series:
    both = wide.reindex(columns=[a, b]).astype(float)
    return (both[a] - both[b]).dropna()


def score_gaps(scores: pd.DataFrame, a: str, b: str) -> dict:
    """`score_gap` in short: the ``number`` of pairs of structure and size; ``median``, ``lowest``
    and ``highest``, and how many lie ``below`` 0 by more than `SLACK`; empty without a pair.
    """
    gap = score_gap(scores, a, b)
    if gap.empty:
        return {}
    summary = {
        "number": len(gap),
        "median": gap.median(),
        "lowest": gap.min(),
        "highest": gap.max(),
    }
    return summary | {"below": int((gap < -SLACK).sum())}


def difference_by_size(scores: pd.DataFrame, truth: str | None, other: str = "bic") -> pd.DataFrame:
    """VB minus ``other`` in nats, of one draw, by n: ``true``, that of the true structure (nan
    where it has none), and ``median``, ``lowest``, ``highest`` over the structures that have both.
    """
    gap = score_gap(scores, "vb", other)
    statistics = gap.groupby(level="n").agg(median="median", lowest="min", highest="max")
    of_truth = gap[gap.index.get_level_values("structure") == truth].droplevel("structure")
    return statistics.assign(true=of_truth)


def growth_window(scores: pd.DataFrame, other: str = "bic") -> tuple[int, int] | None:
    """The sizes between which growth is measured: the largest that has VB and ``other``, and the
    smallest that is at least 1 / `GROWTH_FACTOR` of it; None where these are the same.
    """
    sizes = np.unique(score_gap(scores, "vb", other).index.get_level_values("n"))
    late = [int(n) for n in sizes if n * GROWTH_FACTOR >= sizes[-1]]
    return (late[0], late[-1]) if len(late) > 1 else None


def growth(scores: pd.DataFrame, other: str = "bic") -> pd.Series:
    """By structure, the growth of VB minus ``other`` over the `growth_window`, of one draw: nats
    per unit of ln n, 0 when it has settled. For structures that have both scores at both ends.
    """
    ends = growth_window(scores, other)
    if ends is None:
        return pd.Series(dtype=float)
    gap = score_gap(scores, "vb", other).unstack("n")
    first, last = ends
    return ((gap[last] - gap[first]) / np.log(last / first)).dropna()


def parts_of_gap(scores: pd.DataFrame) -> pd.DataFrame:
    """By n (index), means in nats over the ``structures`` that have all scores TOWARDS_EVIDENCE,
    from the table ``scores`` of one draw: ``gap``, reference minus VB, and its parts ``theta``,
    ``modes`` and ``cases``, each a score of these less the one before it. Empty where one did not
    run.
    """
    wide = method_columns(scores, "score", BY)
    if not set(TOWARDS_EVIDENCE) <= set(wide):
        return pd.DataFrame()
    rows = wide[[*TOWARDS_EVIDENCE]].dropna()
    of_size = _parts(rows).groupby(level="n")
    return of_size.mean().assign(structures=of_size.size())


def parts_of_mean_gap(population: pd.DataFrame) -> pd.DataFrame:
    """`parts_of_gap` over draws, from the rows by structure of the table of populations: means over
    the draws of each draw's mean error. Empty where one of TOWARDS_EVIDENCE did not run.
    """
    wide = method_columns(population, "mean_error")
    if not set(TOWARDS_EVIDENCE[:-1]) <= set(wide):
        return pd.DataFrame()
    return _parts(wide[[*TOWARDS_EVIDENCE[:-1]]].assign(reference=0.0).dropna())


def _parts(rows: pd.DataFrame) -> pd.DataFrame:
    """The gap from the first to the last score TOWARDS_EVIDENCE, the columns of ``rows``, and its
    parts.
    """
    parts = rows.diff(axis=1).iloc[:, 1:].set_axis(["theta", "modes", "cases"], axis=1)
    parts.insert(0, "gap", rows["reference"] - rows["vb"])
    return parts
