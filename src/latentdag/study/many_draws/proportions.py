"""A share of draws, and how sure it is."""

import numpy as np
import scipy


def share(count: int, of: int) -> tuple[float, float, float]:
    """``count`` of ``of`` as a share, and the ends of its Wilson 95 % interval; nan of none."""
    if of == 0:
        return np.nan, np.nan, np.nan
    # the interval is the same for every p that is tested; this one is tested quickly
    test = scipy.stats.binomtest(int(count), int(of), p=count / of)
    interval = test.proportion_ci(method="wilson")
    return count / of, float(interval.low), float(interval.high)
