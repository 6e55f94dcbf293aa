"""Averages of importance weights, and their Monte Carlo errors."""

import numpy as np


def log_mean_exp(log_weights: np.ndarray) -> tuple[float, float]:
    """ln of the mean of K importance weights, and its standard error, both in nats.

    ``log_weights`` has shape (K,). No bit of the result depends on the order of the weights.

    The standard error is the standard deviation of the ln weights over the root of the effective
    number of weights, (sum of w)^2 / sum of w^2 (Kong, Liu & Wong 1994, J. Am. Stat. Assoc. 89,
    278-288); nan for K = 1. The logarithms of weights are about normal, and the mean rests on a
    tail that few of them reach: the jackknife sees only those, the spread of the ln weights also
    tells of the tail. workflow/docs/validation.md has how often each holds the evidence.
    """
    w = np.sort(np.asarray(log_weights, dtype=float))
    total = np.logaddexp.reduce(w)
    estimate = float(total - np.log(len(w)))
    if len(w) == 1:
        return estimate, np.nan
    shares = np.exp(w - total)
    return estimate, float(w.std(ddof=1) * np.sqrt(np.sum(shares**2)))
