"""The structures that a search finds, for a study of one's own data that has too many for all."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from latentdag.model.structures import Family, Structure
from latentdag.search.beam import search
from latentdag.search.ranking import log_prior, model_of
from latentdag.study.own_data.structures_table import in_order
from latentdag.study.schema.candidates import states

SHARE = 0.999  # of the posterior probability among the structures scored, which those kept hold


def searched(
    cases, families: Sequence[Family], prior: str, method: str, keep: int, **settings
) -> tuple[list[Structure], list[dict]]:
    """The best structures that searches of the ``families`` find for ``cases``, in the order of
    their table: as many as hold `SHARE` of the posterior probability, ``keep`` at most; and the
    table of the searches. ``method``, ``prior`` and ``settings`` are those of
    `latentdag.search.beam.search`; the prior is that over all structures, found or not.
    """
    several, rounds = len(families) > 1, []
    scores: dict[Structure, tuple[float, int]] = {}  # and the family that is the first to have it
    for k, family in enumerate(families):
        found = search(cases, family, method, prior=prior, **settings)
        rounds.append(found.rounds)
        for score in found.ranking.scores:
            structure = model_of(score.structure) if several else score.structure
            scores.setdefault(structure, (score.score, k))
    structures = list(scores)
    values, searched_in = np.array(list(scores.values())).T
    worth = values + log_prior(structures, families, prior)
    probability = scipy.special.softmax(np.where(np.isnan(worth), -np.inf, worth))
    best_first = np.argsort(-probability, kind="stable")
    enough = 1 + int(np.searchsorted(np.cumsum(probability[best_first]), SHARE))
    kept = best_first[: min(enough, keep)]
    table = [
        {
            "hidden": states(family.hidden),
            "method": method,
            "rounds": rounds[k],
            "scored": int(np.sum(searched_in == k)),
            "kept": int(np.sum(searched_in[kept] == k)),
            "probability": float(probability[kept][searched_in[kept] == k].sum()),
        }
        for k, family in enumerate(families)
    ]
    return in_order((structures[i] for i in kept), several), table


def totals(search: pd.DataFrame) -> tuple[int, int, float]:
    """How many structures the searches scored and kept, and the probability that these have."""
    return search["scored"].sum(), search["kept"].sum(), search["probability"].sum()
