"""The content of the page for a class: the probability of every structure by some scores, and the
ranks, at every size of one or more draws.

Probabilities are rounded to 1 / `UNIT`, so that a page of three draws stays below a megabyte; ranks
are those of the scores before this rounding.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from latentdag.drawing.style import FAINT, TRUTH, looks
from latentdag.model.structures import Family, Structure
from latentdag.ranking.prior import log_prior
from latentdag.ranking.probabilities import normalise
from latentdag.scores import SPECS

METHODS = ("map", "bic", "vb", "ais", "laplace", "reference")  # a card each
UNIT = 10_000
MOST = 400  # structures on a page: a search of own data may keep thousands


class Draw(NamedTuple):
    """One draw of the page, or the table of one's own."""

    name: str  # on its button
    scores: pd.DataFrame  # of this draw, `latentdag.study.schema.evidence.join_evidence`


class Candidates(NamedTuple):
    """The structures that a page compares."""

    structures: Mapping[str, Structure]  # by name
    families: Sequence[Family]  # over all of whose structures the priors are
    n_parameters: Mapping[str, int]  # by name
    true_structure: str | None  # None: nobody knows it


def content(
    draws: Sequence[Draw],
    candidates: Candidates,
    priors: Sequence[str],
    variables: Sequence[str],
    found_share: pd.DataFrame | None = None,
) -> dict:
    """The content of the page, ready for JSON, for the ``priors`` of
    `latentdag.ranking.prior.PRIORS` and the ``variables`` by name.

    ``structures`` are in ascending order of their parameters; of more than `MOST` those are kept
    that some score finds most probable. ``draws`` have by prior and method two lists of lists,
    sizes by structures: ``p`` in units of 1 / `UNIT`, and ``rank``, None where a structure has no
    score. ``shares`` have by method and size, from the table ``found_share``, the share of draws in
    which the score ranks the truth first at this and at every larger size, with both ends of its
    95 % interval. Raises ValueError when no draw has a score of `METHODS`.
    """
    methods = [m for m in METHODS if any((d.scores["method"] == m).any() for d in draws)]
    if not methods:
        raise ValueError(f"the class page shows {', '.join(METHODS)}; no draw has one of them")
    names = sorted(candidates.structures, key=lambda s: (candidates.n_parameters[s], s))
    before = {
        prior: log_prior([candidates.structures[s] for s in names], candidates.families, prior)
        for prior in priors
    }
    by_draw = [
        {prior: beliefs(draw.scores, methods, names, before[prior]) for prior in priors}
        for draw in draws
    ]
    kept = _most_probable(by_draw, len(names))
    places = {name: place for place, name in enumerate(np.array(names, dtype=object)[kept])}
    return {
        "unit": UNIT,
        "n_structures": len(names),
        "structures": list(places),
        "parents": [candidates.structures[s].parents for s in places],
        "states": [candidates.structures[s].family.hidden for s in places],
        "parameters": [int(candidates.n_parameters[s]) for s in places],
        "variables": list(variables),
        "truth": places.get(candidates.true_structure),
        "priors": list(priors),
        "methods": [_about(method) for method in methods],
        "colours": {"truth": TRUTH, "faint": FAINT},
        "draws": [
            {
                "name": draw.name,
                "sizes": [int(n) for n in sorted(draw.scores["n"].unique())],
                "chains": _chains(draw.scores),
                "by": {prior: _as_lists(found[prior], kept) for prior in priors},
            }
            for draw, found in zip(draws, by_draw, strict=True)
        ],
        "shares": None if found_share is None else _shares(found_share, methods),
    }


def beliefs(
    scores: pd.DataFrame, methods: Sequence[str], names: Sequence[str], before: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By method the probabilities of the structures ``names`` and their ranks, both of shape (sizes
    of the draw, S), nan where there is no score: exp(score + ``before``), ln p(structure) of shape
    (S,), over its sum. ``map`` is treated likewise: its likelihood in place of the evidence.
    """
    sizes = sorted(scores["n"].unique())
    found = {}
    for method in methods:
        rows = scores[scores["method"] == method]
        wide = rows.pivot(index="n", columns="structure", values="score")
        weights = wide.reindex(index=sizes, columns=names).to_numpy(float) + before
        ranks = rankdata(-weights, method="min", axis=-1, nan_policy="omit")
        found[method] = normalise(weights), np.where(np.isnan(weights), np.nan, ranks)
    return found


def _most_probable(by_draw: Sequence[Mapping], n_structures: int) -> np.ndarray:
    """The places of the structures that are kept, ascending."""
    highest = np.zeros(n_structures)
    for found in by_draw:
        for of_methods in found.values():
            for probabilities, _ in of_methods.values():
                highest = np.fmax(highest, np.fmax.reduce(probabilities, axis=0))
    return np.sort(np.argsort(-highest, kind="stable")[:MOST])


def _as_lists(found: Mapping, kept: np.ndarray) -> dict:
    """Probabilities and ranks of the structures that are kept, as lists of integers and None."""
    return {
        method: {"p": _integers(p[:, kept] * UNIT), "rank": _integers(ranks[:, kept])}
        for method, (p, ranks) in found.items()
    }


def _integers(values: np.ndarray) -> list[list[int | None]]:
    return [[None if np.isnan(v) else round(v) for v in row] for row in values.tolist()]


def _about(method: str) -> dict:
    """The label and colour of a score, as the figures have them."""
    return {
        "name": method,
        "label": "evidence" if method == "reference" else SPECS[method].label,
        "colour": looks()[method].colour,
    }


def _chains(scores: pd.DataFrame) -> int | None:
    """How many chains of AIS each structure has; None without AIS."""
    chains = scores.loc[scores["method"] == "ais", "restarts"]
    return None if chains.empty else int(chains.max())


def _shares(found_share: pd.DataFrame, methods: Sequence[str]) -> dict:
    """The number of draws, and by method and size the share and its interval."""
    rows = found_share[(found_share["by"] == "structure") & found_share["method"].isin(methods)]
    by_method: dict[str, dict[str, list[float]]] = {}
    for row in rows.itertuples():
        by_method.setdefault(row.method, {})[str(row.n)] = [row.share, row.low, row.high]
    return {"draws": int(rows["draws"].max()), "by": by_method}
