"""Classes of structures that describe the same distributions, and the posterior over them.

`latentdag.model.structures.Structure.absorbed` names a structure's class, and the table of
structures
holds it. Priors differ within a class, and so do the scores: its posterior mass is the sum over its
members. A structure without a score counts as not there.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from latentdag.scores import SPECS
from latentdag.study.schema.candidates import with_prior
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import in_order
from latentdag.study.schema.two_methods import best_evidence


def numbered(labels: Sequence[str], structures: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The class of each structure as a number, from 0 in the order in which classes occur, and the
    names of the classes in this order.

    Raises KeyError naming the structures that the table ``structures`` lacks.
    """
    numbers, names = pd.factorize(structures.set_index("structure").loc[list(labels), "class"])
    return numbers, list(names)


def log_masses(scores: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """ln of the sum of exp(score) over the members of each class: shape (..., C) from scores of
    shape (..., S), nan for a structure without one, and the numbers of their classes, shape (S,).
    A class without a score has -inf.

    Equal scores give equal bits in whichever order they come, so that ties stay ties.
    """
    scores = np.where(np.isnan(scores), -np.inf, scores)
    members = [np.sort(scores[..., numbers == c], axis=-1) for c in range(numbers.max() + 1)]
    return np.stack([np.logaddexp.reduce(own, axis=-1) for own in members], axis=-1)


def classes(
    scores: pd.DataFrame, structures: pd.DataFrame, log_prior: pd.Series | None = None
) -> pd.DataFrame:
    """The table of classes from the tables of scores, by `best_evidence`, and of structures, for
    every method from which a posterior follows: the probability of each class, ``probability``,
    where ``log_prior`` is ln p(structure) by name (None: all are equally probable); and under a
    uniform prior over classes and within each over its members, ``equal_classes``; nan for a class
    without a score.

    Raises KeyError when ``structures`` lacks a structure that is scored.
    """
    scores = best_evidence(scores)
    own = in_order(scores[scores["method"].map(lambda m: SPECS[m].posterior).astype(bool)])
    found = []
    for (draw, n, method), group in own.groupby(["draw", "n", "method"], sort=False):
        numbers, names = numbered(group["structure"], structures)
        values = group["score"].to_numpy(float)
        members = np.bincount(numbers[~np.isnan(values)], minlength=len(names))
        masses = log_masses(values, numbers)
        weighted = with_prior(group, log_prior)["score"].to_numpy(float)
        there = members > 0
        rows = pd.DataFrame(
            {"class": names, "members": members, "probability": np.nan, "equal_classes": np.nan}
        )
        if there.any():
            rows.loc[there, "probability"] = scipy.special.softmax(
                log_masses(weighted, numbers)[there]
            )
            rows.loc[there, "equal_classes"] = scipy.special.softmax(
                masses[there] - np.log(members[there])
            )
        found.append(rows.assign(draw=draw, n=n, method=method))
    columns = list(TABLES["classes"].columns)
    if not found:
        return pd.DataFrame(columns=columns)
    return pd.concat(found, ignore_index=True)[columns]


def members(structures: pd.DataFrame) -> pd.Series:
    """The labels of each class's members, as lists by class, in the order of the table of
    structures.
    """
    return structures.groupby("class", sort=False)["structure"].agg(list)


def as_posterior(classes: pd.DataFrame, prior: str = "probability") -> pd.DataFrame:
    """The table of classes as one of posteriors, classes in place of structures, so that the
    statistics of these hold; ``prior`` is the column ``probability`` or ``equal_classes``.
    """
    found = classes.assign(structure=classes["class"], probability=classes[prior])
    return found[list(TABLES["posterior"].columns)]
