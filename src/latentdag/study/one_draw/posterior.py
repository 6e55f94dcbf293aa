"""The posterior over structures that each score implies."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from latentdag.scores import METHODS, SPECS
from latentdag.scores.base import Side
from latentdag.study.one_draw.ranks import stays_above
from latentdag.study.schema.candidates import with_prior
from latentdag.study.schema.columns import TABLES
from latentdag.study.schema.frames import by_method, in_order, present
from latentdag.study.schema.two_methods import best_evidence

BELIEVED = tuple(m for m, spec in SPECS.items() if spec.posterior)
SHARE = 0.5  # of the posterior mass


def posterior(scores: pd.DataFrame, log_prior: pd.Series | None = None) -> pd.DataFrame:
    """The table of posteriors from the table of scores: p(structure given y) = exp(score) / sum of
    exp(score), for every method from which one follows, by `best_evidence`; nan for a structure
    without a score.

    ``log_prior`` is ln p(structure) by name, and is added to the scores; None: every structure is
    equally probable beforehand.
    """
    own = in_order(best_evidence(scores)[lambda s: s["method"].isin(BELIEVED)])
    key = [own["draw"], own["n"], own["method"]]
    worth = with_prior(own, log_prior)["score"]
    weight = np.exp((worth - worth.groupby(key).transform("max")).astype(float))
    total = weight.groupby(key).transform("sum")
    found = own.assign(probability=weight / total)
    if log_prior is not None:
        found["prior"] = np.exp(own["structure"].map(log_prior))
    return found[list(TABLES["posterior"].columns_of(found.columns))].reset_index(drop=True)


def mass(posterior: pd.DataFrame, structure: str) -> pd.DataFrame:
    """The probability of one structure, of one draw: n by method."""
    return by_method(posterior[posterior["structure"] == structure], "probability").sort_index()


def mass_from(
    posterior: pd.DataFrame, structure: str, share: float = SHARE
) -> dict[str, int | None]:
    """By method the smallest size from which, at this and every larger size, one structure has over
    ``share`` of the mass, None if there is none; of one draw, and for methods that ran at the
    largest size.
    """
    own = posterior[posterior["structure"] == structure]
    at_largest = own.loc[own["n"] == own["n"].max(), "method"]
    of_method = {m: own[own["method"] == m].set_index("n")["probability"] for m in at_largest}
    return {m: stays_above(of_method[m], share) for m in present(at_largest)}


def judge(methods: Iterable[str]) -> str:
    """The most trusted of these methods: the last in the registry of those on the best side."""
    sides = list(Side)
    return max(methods, key=lambda m: (sides.index(SPECS[m].side), METHODS.index(m)))


def effective_number(probabilities: pd.Series) -> float:
    """How many equally probable structures are as uncertain: exp of the entropy of a posterior."""
    p = probabilities[probabilities > 0]
    return float(np.exp(-np.sum(p * np.log(p))))
