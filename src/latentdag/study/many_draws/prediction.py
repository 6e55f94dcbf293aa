"""Does a wrong structure predict worse? What picks lose per case on the cases that come next."""

import pandas as pd
import scipy

from latentdag.engine.significance import LEVEL

DRAW = ["draw", "n"]


def wrong_against_true(verdicts: pd.DataFrame) -> pd.DataFrame:
    """By n, over the draws in which some score picks the true structure and another does not: by
    how many nats per case the wrong structures predict the next cases worse than the true one.

    A wrong structure counts once per draw, however many scores pick it; of several, the mean.
    Columns ``draws``, ``mean`` and ``standard_error`` of the difference, in how many the wrong are
    ``worse``, and the sign of the mean if it is ``sure`` (p by Student's t below `LEVEL`), or 0.
    """
    picked = verdicts[(verdicts["by"] == "structure") & (verdicts["top"] != "")]
    picks = picked.dropna(subset="lost_by_top").drop_duplicates([*DRAW, "top"])
    right = picks["top"] == picks["truth"]
    of_true = picks[right].set_index(DRAW)["lost_by_top"]
    of_wrong = picks[~right].groupby(DRAW)["lost_by_top"].mean()
    return _summary((of_wrong - of_true).dropna().rename("gap").reset_index(), ["n"])


def _summary(gaps: pd.DataFrame, of: list[str]) -> pd.DataFrame:
    gap = gaps.groupby(of)["gap"]
    summary = gap.agg(draws="size", mean="mean", standard_error="sem")
    summary["worse"] = gap.agg(lambda gap: (gap > 0).sum()).astype(int)
    far = scipy.stats.t.ppf(1 - LEVEL / 2, summary["draws"] - 1) * summary["standard_error"]
    mean = summary["mean"]  # far is nan for one draw
    return summary.assign(sure=(mean > far).astype(int) - (mean < -far))
