"""VB minus BIC as the number of cases grows: by the thesis (sec. 2.6.1, eq. 2.132) both are the log
likelihood less (d / 2) ln n, but for what stays bounded.

Where VB minus BIC does grow, it grows by 1/2 nat per unit of ln n for each parameter that BIC pays
for and VB does not. Those of hidden variables without children are known to be such: VB leaves them
out, and d counts them. In a singular model, whose data do not tell all parameters apart, VB may pay
less than BIC, too: its coefficient of ln n is at most d / 2 (Watanabe & Watanabe 2006, J. Mach.
Learn. Res. 7, 625-644, for mixtures of normal distributions).
"""

import numpy as np
import pandas as pd

from latentdag.study.one_draw.variants import score_gap

WINDOW = 8  # growth is measured over the last factor of so much in n


def by_size(scores: pd.DataFrame, truth: str | None, other: str = "bic") -> pd.DataFrame:
    """VB minus ``other`` in nats, of one draw, by n: ``true``, that of the true structure (nan
    where it has none), and ``median``, ``lowest``, ``highest`` over the structures that have both.
    """
    gap = score_gap(scores, "vb", other)
    if gap.empty:
        return pd.DataFrame(columns=["true", "median", "lowest", "highest"])
    of_size = gap.groupby(level="n")
    found = of_size.agg(median="median", lowest="min", highest="max")
    true = gap[gap.index.get_level_values("structure") == truth].droplevel("structure")
    found.insert(0, "true", true.reindex(found.index))
    return found


def window(scores: pd.DataFrame, other: str = "bic") -> tuple[int, int] | None:
    """The two sizes between which growth is measured: the largest at which any structure has VB and
    ``other``, and the smallest that is at least an eighth (1 / `WINDOW`) of it; None where there is
    but one such size.
    """
    gap = score_gap(scores, "vb", other)
    sizes = np.unique(gap.index.get_level_values("n")) if len(gap) else []
    late = [int(n) for n in sizes if n * WINDOW >= sizes[-1]]
    return (late[0], late[-1]) if len(late) > 1 else None


def growth(scores: pd.DataFrame, other: str = "bic") -> pd.Series:
    """By structure, the growth of VB minus ``other`` over the `window`, of one draw: nats per unit
    of ln n, 0 when it has settled. Of structures that have both scores at both its ends.
    """
    ends = window(scores, other)
    if ends is None:
        return pd.Series(dtype=float)
    gap = score_gap(scores, "vb", other).unstack("n")
    first, last = ends
    return ((gap[last] - gap[first]) / np.log(last / first)).dropna()
