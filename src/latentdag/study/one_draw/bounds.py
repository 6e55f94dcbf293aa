"""Bounds on both sides of the evidence: how far apart, and whether any have crossed."""

import numpy as np
import pandas as pd

from latentdag.study.one_draw.errors import SLACK, SURE

GAP = 1.0  # nats between the two that are worth a name


def gaps(sandwich: pd.DataFrame) -> pd.DataFrame:
    """Rows of the sandwich table with the standard ``error`` of the gap, whether it is ``wide``,
    over `GAP`, and whether the bounds are ``crossed``: the upper below the lower by more than
    `SURE` standard errors; the gaps farthest from 0 first.
    """
    error = np.hypot(
        sandwich["lower_error"].fillna(0.0).astype(float),
        sandwich["upper_error"].fillna(0.0).astype(float),
    )
    found = sandwich.assign(
        error=error,
        wide=sandwich["gap"] > GAP,
        crossed=sandwich["gap"] < -SURE * error - SLACK,
    )
    return found.sort_values("gap", key=abs, ascending=False, kind="stable")
