"""Reliability: of all statements that a score gives a probability of 0.7, are seven in ten true?"""

import numpy as np
import pandas as pd

from latentdag.study.many_draws.population import share
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import sorted_by


def reliability(counts: pd.DataFrame) -> pd.DataFrame:
    """The table of reliability from those of counts of all draws, joined."""
    of = ["n", "method", "what", "bin"]
    total = counts.groupby(of)[["number", "sum_probability", "number_true"]].sum()
    total = sorted_by(total.reset_index(), of)
    total["mean_probability"] = total["sum_probability"] / total["number"]
    ends = [share(k, n) for k, n in zip(total["number_true"], total["number"], strict=True)]
    total[["share_true", "low", "high"]] = np.array(ends).reshape(-1, 3)
    return total[list(TABLES["reliability"].columns)].reset_index(drop=True)
