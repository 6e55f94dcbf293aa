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

GROWTH_FACTOR = 8  # growth is measured over the last factor of 8 in n
# each drops a restriction of the one before it, and the evidence the last one
TOWARDS_EVIDENCE = ("vb", "vb_collapsed", "vb_mix", "reference")


def score_gap(scores: pd.DataFrame, a: str, b: str) -> pd.Series:
    """A Series by n and structure (index) of the score named ``a`` less the score ``b``, in nats,
    from the table ``scores`` of one draw, where there are both.
    """
    wide = method_columns(scores, "score", ["n", "structure"])
    both = wide.reindex(columns=[a, b]).astype(float)
    return (both[a] - both[b]).dropna()


def score_gaps(scores: pd.DataFrame, a: str, b: str) -> dict:
    """A dict that summarises `score_gap`, ``a`` less ``b`` in the table ``scores`` of one draw, in
    nats: the `number` of pairs of structure and size; `median`, `lowest` and `highest`, and how
    many lie `below` 0 by more than `SLACK`; empty without a pair.
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


def growth(gap: pd.Series, structure: str) -> tuple[int, int, float | None]:
    """How ``gap``, a `score_gap` of one draw, grows for large n. Returns two sizes, the smallest
    that is at least 1 / `GROWTH_FACTOR` of the largest, and the largest; and the growth of the gap
    of ``structure`` between them in nats per unit of ln n, 0 when it has settled: None where the
    sizes are the same, or the structure lacks the gap at one.
    """
    sizes = np.unique(gap.index.get_level_values("n"))
    first, last = (int(n) for n in (sizes[sizes * GROWTH_FACTOR >= sizes[-1]][0], sizes[-1]))
    of_structure = gap.xs(structure, level="structure")
    if first == last or not {first, last} <= set(of_structure.index):
        return first, last, None
    return first, last, (of_structure[last] - of_structure[first]) / np.log(last / first)


def parts_of_mean_gap(population: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame by n (index) from ``population``, rows by structure of the table of that name,
    means in nats over the draws of each draw's mean error: `gap`, reference minus VB, and its parts
    `theta`, `modes` and `cases`, each a score of `TOWARDS_EVIDENCE` less the one before it. Empty
    where one of these did not run.
    """
    wide = method_columns(population, "mean_error")
    if not set(TOWARDS_EVIDENCE[:-1]) <= set(wide):
        return pd.DataFrame()
    rows = wide[[*TOWARDS_EVIDENCE[:-1]]].assign(reference=0.0).dropna()
    parts = rows.diff(axis=1).iloc[:, 1:].set_axis(["theta", "modes", "cases"], axis=1)
    parts.insert(0, "gap", rows["reference"] - rows["vb"])
    return parts
