"""Probabilities from log weights, and their sums over groups of structures."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

import numpy as np


def log_normalise(log_weights: np.ndarray) -> np.ndarray:
    """``log_weights`` less ln of the sum of their exponentials along the last axis, shape (..., S):
    nan where one is nan, which does not count in the sum, and where none is above -inf.
    """
    weights = np.where(np.isnan(log_weights), -np.inf, log_weights)
    highest = weights.max(axis=-1, keepdims=True, initial=-np.inf)
    # nan where no structure has a weight
    weights = log_weights - np.where(highest == -np.inf, np.nan, highest)
    total = np.nansum(np.exp(weights), axis=-1, keepdims=True)
    return weights - np.log(np.maximum(total, 1.0))  # the highest weight is 1


def normalise(log_weights: np.ndarray) -> np.ndarray:
    """exp(log_weights) / its sum along the last axis, shape (..., S): nan where the weight is nan,
    which does not count in the sum, and where no weight is above 0.
    """
    return np.exp(log_normalise(log_weights))


def sum_by(
    groups: Iterable[Hashable], probabilities: np.ndarray
) -> dict[Hashable, np.ndarray | float]:
    """The sum of ``probabilities`` (..., S) over the structures of each group, shape (...), in the
    order in which the groups occur; ``groups`` has the group of each of the S structures. A nan
    counts as 0, and the sums are nan where all are.
    """
    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    finite = np.nan_to_num(probabilities)
    none = np.where(np.isnan(probabilities).all(axis=-1), np.nan, 0.0)
    return {group: finite[..., places].sum(axis=-1) + none for group, places in members.items()}


def sharing(parents: Sequence[Sequence[int]]) -> list[bool]:
    """By pair of observed variables, (1, 2), (1, 3), ..., whether they share a hidden parent;
    ``parents`` are the hidden parents of each.
    """
    return [not set(a).isdisjoint(b) for a, b in combinations(parents, 2)]


def sum_of_pairs(
    parents: Sequence[Sequence[Sequence[int]]], probabilities: np.ndarray
) -> np.ndarray:
    """p(two observed variables share a cause), shape (..., pairs), in the order of `sharing`, from
    the parents and ``probabilities`` (..., S) of S structures; nan as in `sum_by`.
    """
    shared = np.array([sharing(p) for p in parents], dtype=float).reshape(len(parents), -1)
    none = np.where(np.isnan(probabilities).all(axis=-1), np.nan, 0.0)
    return np.nan_to_num(probabilities) @ shared + none[..., None]
