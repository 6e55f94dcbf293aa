"""The posterior that each score implies over structures, and over classes of structures that
describe the same distributions (`latentdag.model.structures.Structure.absorbed`). Priors and scores
differ within a class: its mass is the sum over its members, without those without a score.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from latentdag.ranking.probabilities import normalise
from latentdag.scores import SPECS
from latentdag.study.schema.candidates import with_prior
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import in_order

BELIEVED = tuple(m for m, spec in SPECS.items() if spec.posterior)


def posterior(scores: pd.DataFrame, log_prior: pd.Series | None = None) -> pd.DataFrame:
    """The table `posterior`, a DataFrame, from ``scores``, the table of scores as `join_evidence`
    returns it: p(structure given y) = exp(score) / sum of exp(score), for methods from which one
    follows; nan for a structure without a score. ``log_prior``, a Series of ln p(structure) by
    name, is added to the scores (None: uniform).
    """
    rows = in_order(scores[scores["method"].isin(BELIEVED)])
    key = [rows["draw"], rows["n"], rows["method"]]
    worth = with_prior(rows, log_prior)["score"]
    rows["probability"] = worth.astype(float).groupby(key).transform(lambda w: normalise(w.array))
    if log_prior is not None:
        rows["prior"] = np.exp(rows["structure"].map(log_prior))
    return rows[list(TABLES["posterior"].columns_of(rows.columns))].reset_index(drop=True)


def effective_number(probabilities: pd.Series) -> float:
    """How many equally probable structures are as uncertain as the posterior ``probabilities``: exp
    of its entropy, a float.
    """
    p = probabilities[probabilities > 0]
    return float(np.exp(-np.sum(p * np.log(p))))


def class_numbers(labels: Sequence[str], structures: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The class of each structure of ``labels`` as a number, an array, from 0 in the order in which
    they occur, and a list of the classes' names, from the table ``structures``. Raises KeyError
    naming the structures that it lacks.
    """
    numbers, names = pd.factorize(structures.set_index("structure").loc[list(labels), "class"])
    return numbers, list(names)


def log_masses(scores: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """ln of the sum of exp(score) over each class, (..., C), from scores (..., S), nan for a
    structure without one, and the numbers of the classes, (S,); -inf for a class without a score.
    Equal scores give equal bits in whichever order they come, so that ties stay ties.
    """
    scores = np.where(np.isnan(scores), -np.inf, scores)
    members = [np.sort(scores[..., numbers == c], axis=-1) for c in range(numbers.max() + 1)]
    return np.stack([np.logaddexp.reduce(values, axis=-1) for values in members], axis=-1)


def classes(
    scores: pd.DataFrame, structures: pd.DataFrame, log_prior: pd.Series | None = None
) -> pd.DataFrame:
    """The table `classes`, a DataFrame, from ``scores``, the table of scores as `join_evidence`
    returns it, and the table ``structures``: the probability of each class by method under
    ``log_prior``, a Series of ln p(structure) by name (None: uniform), `probability`, and with all
    classes equally probable, `equal_classes`; nan for one without a score. Raises KeyError when
    ``structures`` lacks a structure that is scored.
    """
    selected = in_order(scores[scores["method"].isin(BELIEVED)])
    parts = []
    for (draw, n, method), group in selected.groupby(["draw", "n", "method"], sort=False):
        numbers, names = class_numbers(group["structure"], structures)
        values = group["score"].to_numpy(float)
        members = np.bincount(numbers[~np.isnan(values)], minlength=len(names))
        weighted = with_prior(group, log_prior)["score"].to_numpy(float)
        rows = pd.DataFrame({"class": names, "members": members, "draw": draw, "n": n})
        rows[["probability", "equal_classes"]] = np.nan
        if (there := members > 0).any():
            weights = log_masses(weighted, numbers)[there]
            equal = log_masses(values, numbers)[there] - np.log(members[there])
            rows.loc[there, "probability"] = normalise(weights)
            rows.loc[there, "equal_classes"] = normalise(equal)
        parts.append(rows.assign(method=method))
    columns = list(TABLES["classes"].columns)
    if not parts:
        return pd.DataFrame(columns=columns)
    return pd.concat(parts, ignore_index=True)[columns]
