"""Averages of importance weights, and their Monte Carlo errors."""

import numpy as np


def log_mean_exp(log_weights: np.ndarray) -> tuple[float, float]:
    """ln of the mean of K importance weights, and its jackknife standard error in nats (nan for K =
    1).

    When one weight outweighs the others the jackknife says by how much the estimate rests on it,
    where the delta method never claims an error above 1.
    """
    w = np.sort(
        np.asarray(log_weights, dtype=float)
    )  # sorted: the result does not depend on the chains' order
    k = len(w)
    estimate = np.logaddexp.reduce(w) - np.log(k)
    if k == 1:
        return float(estimate), float("nan")
    without = np.array([np.logaddexp.reduce(np.delete(w, i)) for i in range(k)])
    return float(estimate), float(np.sqrt((k - 1) / k * np.sum((without - without.mean()) ** 2)))
