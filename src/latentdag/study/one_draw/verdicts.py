"""What each score says of the truth on one draw: its rank and probability, what is picked in its
place, and what that loses. Populations of draws are summarised from this.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy

from latentdag.study.one_draw.errors import JUDGED
from latentdag.study.one_draw.ranks import rank, ranks
from latentdag.study.one_draw.score_arrays import (
    EVIDENCE,
    ScoreArrays,
    class_arrays,
    structure_arrays,
)
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.two_methods import ROUNDING, RUNS

EXACT_ENOUGH = 0.5  # nats: the largest standard error of an evidence that scores are compared with

ENDS = {  # of the rank by its Monte Carlo error: columns of the table of ranks
    "structure": {"rank_low": "rank_low", "rank_high": "rank_high"},
    "class": {"class_rank_low": "rank_low", "class_rank_high": "rank_high"},
}


def verdicts(
    scores: pd.DataFrame,
    structures: pd.DataFrame,
    true_structure: str,
    truth: pd.DataFrame,
    seed: int = 0,
) -> pd.DataFrame:
    """The table of verdicts from the tables of scores and structures of one draw; ``truth`` has by
    ``n`` the ``log_likelihood``, ln probability of the first n cases under the true parameters.

    Rows by structure for every method, and by class for those from which a posterior follows. A
    structure without a score has no weight; where the truth has none, it has no rank, probability 0
    and no logarithm of it. What needs a reference that is not there is empty. The ends of the rank
    are those of `latentdag.study.one_draw.ranks.ranks`, with its ``seed``.

    Raises ValueError when the scores are not those of one draw, or lack the true structure, or
    ``structures`` lacks one that is scored.
    """
    arrays = structure_arrays(scores, structures, true_structure)
    log_likelihood = truth.set_index("n")["log_likelihood"].reindex(arrays.sizes).to_numpy(float)
    exact = exact_enough(scores, arrays)
    parts = [
        _table(it, _of_truth(it) | _regrets(it) | _errors(it, exact) | _lost(it, log_likelihood))
        for it in (class_arrays(arrays, structures), arrays)
    ]
    found = pd.concat(parts, ignore_index=True).sort_values("n", kind="stable")
    placed = ranks(scores, true_structure, seed, structures)
    ends = [
        placed[["n", "method", *names]].rename(columns=names).assign(by=by)
        for by, names in ENDS.items()
    ]
    found = found.merge(pd.concat(ends), "left", on=["n", "by", "method"])
    return found[list(TABLES["verdicts"].columns)].reset_index(drop=True)


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


def _of_truth(arrays: ScoreArrays) -> dict[str, np.ndarray]:
    """Rank and probability of the truth, and what the posterior expects of itself."""
    has_score = ~np.isnan(arrays.scores[..., arrays.true])
    top = arrays.best
    log_p = arrays.log_probabilities()
    p = np.exp(log_p)
    squares = (p**2).sum(axis=-1)
    is_true = np.arange(len(arrays.items)) == arrays.true
    surprise = np.where(np.isneginf(log_p), 0.0, log_p)  # p ln p is 0 there
    mean = (p * surprise).sum(axis=-1)
    log_of_true = log_p[..., arrays.true]
    return {
        "rank": np.where(has_score, rank(arrays.scores, arrays.true), np.nan),
        "top": np.where(arrays.known, np.array(arrays.items, dtype=object)[top], ""),
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
    reference, error = arrays.reference[:, None], arrays.reference_error[:, None]
    best = np.where(np.isnan(reference), -np.inf, reference).argmax(axis=-1)[..., None]
    picked = arrays.best[..., None]
    at_best, at_picked = (np.take_along_axis(reference, at, axis=-1) for at in (best, picked))
    errors = [np.take_along_axis(error, at, axis=-1) for at in (best, picked)]
    regret = np.where(arrays.known, (at_best - at_picked)[..., 0], np.nan)
    unsure = ~np.isnan(regret) & (best != picked)[..., 0]
    return {
        "regret": regret,
        "regret_error": np.where(unsure, np.hypot(*errors)[..., 0], np.nan),
    }


def exact_enough(scores: pd.DataFrame, arrays: ScoreArrays) -> np.ndarray:
    """Whether a structure's evidence is so exact that scores are compared with it: its standard
    error is at most `EXACT_ENOUGH` and comes from as many runs as that of the true structure, or
    from `RUNS`; shape (N, K).
    """
    rows = scores[scores["method"] == EVIDENCE]
    runs = np.zeros(arrays.reference.shape)
    sizes, labels = np.searchsorted(arrays.sizes, rows["n"]), pd.Index(arrays.items)
    runs[sizes, labels.get_indexer(rows["structure"])] = rows["restarts"].to_numpy(float)
    enough = runs >= np.minimum(RUNS, runs[:, [arrays.true]])
    return (enough & (arrays.reference_error <= EXACT_ENOUGH)) | (
        arrays.reference_error <= ROUNDING
    )


def _errors(arrays: ScoreArrays, exact: np.ndarray) -> dict[str, np.ndarray]:
    """Mean error, and mean absolute error, of the scores of structures whose evidence is ``exact``;
    of classes, none.
    """
    error = arrays.scores - arrays.reference[:, None]
    judged = [m in JUDGED and arrays.by == "structure" for m in arrays.methods]
    error[:, ~np.array(judged, dtype=bool)] = np.nan
    if arrays.by == "structure":
        error = np.where(exact[:, None], error, np.nan)
    known = ~np.isnan(error)
    number = np.where(known.any(axis=-1), known.sum(axis=-1), np.nan)
    error = np.nan_to_num(error)
    return {
        "mean_error": error.sum(axis=-1) / number,
        "mean_absolute_error": np.abs(error).sum(axis=-1) / number,
    }


def _lost(arrays: ScoreArrays, log_likelihood: np.ndarray) -> dict[str, np.ndarray]:
    """Nats lost per case on the next cases, from the true parameters' ``log_likelihood`` (N,).

    The ln predictive density of the cases from n to n' is the growth of the reference.
    """
    cases = _to_next(arrays.sizes.astype(float))[:, None]
    possible = _to_next(log_likelihood)[:, None]
    growth = _to_next(arrays.reference)[:, None]
    later = np.roll(arrays.reference_error, -1, axis=0)
    error = np.where(np.isnan(growth), np.nan, np.hypot(arrays.reference_error, later)[:, None])
    picked = arrays.best[..., None]
    of_top, error_of_top = (
        np.where(arrays.known, np.take_along_axis(values, picked, axis=-1)[..., 0], np.nan)
        for values in (growth, error)
    )
    log_p = arrays.log_probabilities()
    mixed = scipy.special.logsumexp(np.where(np.isneginf(log_p), -np.inf, log_p + growth), axis=-1)
    return {
        "lost_by_top": (possible - of_top) / cases,
        "lost_by_average": (possible - mixed) / cases,
        "lost_error": error_of_top / cases,
    }


def _to_next(values: np.ndarray) -> np.ndarray:
    """By how much values (N, ...) grow from each size to the next; nan at the largest."""
    return np.diff(values, axis=0, append=np.full_like(values[:1], np.nan))
