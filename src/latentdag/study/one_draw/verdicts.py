"""What each score says of the truth on one draw: rank and probability, and what its pick loses."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy

from latentdag.study.one_draw.errors import JUDGED
from latentdag.study.one_draw.ranks import ranks
from latentdag.study.one_draw.score_arrays import (
    ScoreArrays,
    class_arrays,
    exact_enough,
    highest,
    structure_arrays,
)
from latentdag.study.schema.columns import TABLES

PLACES = {  # the rank and its ends: columns of the table of ranks
    "structure": ["rank", "rank_low", "rank_high"],
    "class": ["class_rank", "class_rank_low", "class_rank_high"],
}


def verdicts(
    scores: pd.DataFrame,
    structures: pd.DataFrame,
    true_structure: str,
    truth: pd.DataFrame,
    seed: int = 0,
) -> pd.DataFrame:
    """The table `verdicts` of one draw, a DataFrame, from ``scores``, the table of scores as
    `join_evidence` returns it, and the table ``structures``; ``truth`` is a DataFrame with `n` and
    `log_likelihood`, ln probability of the first n cases under the true parameters.

    Rows by structure for every method, and by class for those from which a posterior follows. A
    structure without a score has no weight; where the truth has none, it has no rank, probability 0
    and no logarithm of it. What needs a reference that is not there is empty. The rank and its ends
    are those of `ranks`, with its ``seed``. Raises ValueError as `structure_arrays` does.
    """
    arrays = structure_arrays(scores, structures, true_structure)
    log_likelihood = truth.set_index("n")["log_likelihood"].reindex(arrays.sizes).to_numpy(float)
    errors = {"structure": _errors(arrays, exact_enough(scores, arrays)), "class": {}}
    parts = [
        _table(it, _truth_statistics(it) | _regrets(it) | errors[it.by] | _lost(it, log_likelihood))
        for it in (class_arrays(arrays, structures), arrays)
    ]
    table = pd.concat(parts, ignore_index=True).sort_values("n", kind="stable")
    placed = ranks(scores, true_structure, seed, structures)
    columns = ["n", "method", *PLACES["structure"]]
    places = [
        placed[["n", "method", *names]].set_axis(columns, axis=1).assign(by=by)
        for by, names in PLACES.items()
    ]
    table = table.merge(pd.concat(places), "left", on=["n", "by", "method"])
    return table[list(TABLES["verdicts"].columns)].reset_index(drop=True)


def _table(arrays: ScoreArrays, values: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """One row for each size and method that ran, from arrays of shape (N, M)."""
    n, m = np.nonzero(arrays.ran)
    names = {
        "draw": arrays.draw,
        "n": arrays.sizes[n],
        "by": arrays.by,
        "method": np.array(arrays.methods, dtype=object)[m],
        "truth": arrays.items[arrays.true],
    }
    return pd.DataFrame(names | {name: value[n, m] for name, value in values.items()})


def _truth_statistics(arrays: ScoreArrays) -> dict[str, np.ndarray]:
    """The pick, the probability of the truth, and what the posterior expects of itself."""
    top, is_true = arrays.best, np.arange(len(arrays.items)) == arrays.true
    log_p = arrays.log_probabilities()
    p = np.exp(log_p)
    squares = (p**2).sum(axis=-1)
    surprise = np.where(np.isneginf(log_p), 0.0, log_p)  # p ln p is 0 there
    mean = (p * surprise).sum(axis=-1)
    log_of_true = log_p[..., arrays.true]
    return {
        "top": np.where(arrays.scored, np.array(arrays.items, dtype=object)[top], ""),
        "probability": p[..., arrays.true],
        "top_probability": np.take_along_axis(p, top[..., None], axis=-1)[..., 0],
        "log_probability": np.where(np.isneginf(log_of_true), np.nan, log_of_true),
        "brier": ((p - is_true) ** 2).sum(axis=-1),
        "expected_log_probability": mean,
        "variance_log_probability": (p * (surprise - mean[..., None]) ** 2).sum(axis=-1),
        "expected_brier": 1 - squares,
        "variance_brier": 4 * (p * (p - squares[..., None]) ** 2).sum(axis=-1),
    }


def _regrets(arrays: ScoreArrays) -> dict[str, np.ndarray]:
    """What is lost, in evidence, by the item picked."""
    best, picked = highest(arrays.reference)[:, None], arrays.best
    regret = _at(arrays.reference, best) - _at(arrays.reference, picked)
    regret = np.where(arrays.scored, regret, np.nan)
    error = np.hypot(_at(arrays.reference_error, best), _at(arrays.reference_error, picked))
    unsure = ~np.isnan(regret) & (best != picked)
    return {"regret": regret, "regret_error": np.where(unsure, error, np.nan)}


def _at(values: np.ndarray, items: np.ndarray) -> np.ndarray:
    """The values (N, K) of one item each, (N, M)."""
    return np.take_along_axis(values, items, axis=-1)


def _errors(arrays: ScoreArrays, exact: np.ndarray) -> dict[str, np.ndarray]:
    """Mean error, and mean absolute error, over the structures whose evidence is ``exact``."""
    error = arrays.scores - arrays.reference[:, None]
    judged = np.array([m in JUDGED for m in arrays.methods])
    counted = ~np.isnan(error) & exact[:, None] & judged[:, None]
    number = np.where(counted.any(axis=-1), counted.sum(axis=-1), np.nan)
    error = np.where(counted, error, 0.0)
    return {
        "mean_error": error.sum(axis=-1) / number,
        "mean_absolute_error": np.abs(error).sum(axis=-1) / number,
    }


def _lost(arrays: ScoreArrays, log_likelihood: np.ndarray) -> dict[str, np.ndarray]:
    """Nats lost per case on the next cases, from the true parameters' ``log_likelihood`` (N,). The
    ln predictive density of the cases from n to n' is the growth of the reference.
    """
    cases = _growth_to_next(arrays.sizes.astype(float))[:, None]
    possible = _growth_to_next(log_likelihood)[:, None]
    growth = _growth_to_next(arrays.reference)
    later = np.roll(arrays.reference_error, -1, axis=0)
    error = np.where(np.isnan(growth), np.nan, np.hypot(arrays.reference_error, later))
    of_top, error_of_top = (
        np.where(arrays.scored, _at(values, arrays.best), np.nan) for values in (growth, error)
    )
    log_p = arrays.log_probabilities()
    mixed = np.where(np.isneginf(log_p), -np.inf, log_p + growth[:, None])
    mixed = scipy.special.logsumexp(mixed, axis=-1)
    return {
        "lost_by_top": (possible - of_top) / cases,
        "lost_by_average": (possible - mixed) / cases,
        "lost_error": error_of_top / cases,
    }


def _growth_to_next(values: np.ndarray) -> np.ndarray:
    """By how much values (N, ...) grow from each size to the next; nan at the largest."""
    return np.diff(values, axis=0, append=np.full_like(values[:1], np.nan))
