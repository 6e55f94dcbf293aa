"""Averages of importance weights, and their Monte Carlo errors."""

import numpy as np


def log_mean_exp(log_weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """ln of the mean of K importance weights, and its standard error, both in nats.

    ``log_weights`` has shape (K,), which gives two numbers, or (K, m) for m means, which gives two
    arrays (m,). No bit of the result depends on the order of the weights.

    The standard error is the jackknife's (Efron & Stein 1981, Ann. Stat. 9, 586-596): with b_i the
    result without weight i, sqrt((K - 1) / K times the sum of (b_i - mean of b)^2). Where one
    weight outweighs the others it says how much rests on that one; the delta method never claims
    an error above 1. For K = 1 it is nan.
    """
    w = np.sort(np.asarray(log_weights, dtype=float).T)
    k = w.shape[-1]
    estimate = np.logaddexp.reduce(w, axis=-1) - np.log(k)
    if k == 1:
        return estimate, np.nan * estimate
    # each lacks - ln(K - 1), which cancels in the deviations
    without = [np.logaddexp.reduce(np.delete(w, i, axis=-1), axis=-1) for i in range(k)]
    deviations = np.stack(without, axis=-1)
    deviations -= deviations.mean(axis=-1, keepdims=True)
    return estimate, np.sqrt((k - 1) / k * np.sum(deviations**2, axis=-1))
