"""The content of the page for a class: how probable some scores find every structure, and which
rank they give it, at every size of one or more draws.

Probabilities are rounded to 1 / `UNIT`, so that a page of three draws stays below a megabyte. Ranks
are computed before this rounding.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from latentdag.model.structures import Family, Structure
from latentdag.ranking.prior import log_prior
from latentdag.ranking.probabilities import normalise
from latentdag.scores import SPECS
from latentdag.study.paper.findings import of_structure
from latentdag.study.paper.numbers import PAPER
from latentdag.study.paper.runs import AIS_CHAINS, PAPERS

METHODS = ("map", "bic", "vb", "ais", "laplace", "reference")  # a card for each
PRIOR = "structures"  # equally probable where many draws are ranked
UNIT = 10_000
MOST_STRUCTURES = 400  # structures of a page; a search may keep thousands


class Candidates(NamedTuple):
    """The structures that a page compares."""

    structures: Mapping[str, Structure]  # by name
    families: Sequence[Family]  # priors are over all structures of these
    n_parameters: Mapping[str, int]  # by name
    true_structure: str | None  # None for a table of cases


def content(
    draws: Mapping[str, pd.DataFrame],
    candidates: Candidates,
    priors: Sequence[str],
    variables: Sequence[str],
    found_share: pd.DataFrame | None = None,
) -> dict:
    """The content of the page, a dict ready for JSON.

    ``draws`` have by the name of its button the scores of a draw or of a table of cases
    (`latentdag.study.schema.evidence.join_evidence`). ``priors`` are names of
    `latentdag.ranking.prior.PRIORS`, ``variables`` those of the observed variables. ``found_share``
    is the table of this name of many draws of the paper's structure. The structures are sorted by
    their number of parameters; of more than `MOST_STRUCTURES` the page keeps the true one, and
    those to which some score gives the highest probabilities. Each draw has by prior and method
    ``p`` and ``rank``, nested lists of shape (sizes, structures): the probability in units of 1 /
    `UNIT`, and the rank, both None where a structure has no score. ``shares`` has by method and
    size the share of draws in which the score ranks the true structure first at this and at every
    larger size, with the ends of its 95 % interval; by method ``half``, the smallest size at which
    this share is at least one half, or None; the ``prior`` of these ranks; and by method the
    numbers of cases in the ``paper``.

    Raises ValueError when no draw has a score of `METHODS`, or for an unknown prior.
    """
    methods = [m for m in METHODS if any((rows["method"] == m).any() for rows in draws.values())]
    if not methods:
        raise ValueError(f"no draw has a score of the class page: {', '.join(METHODS)}")
    names = sorted(candidates.structures, key=lambda name: (candidates.n_parameters[name], name))
    structures = [candidates.structures[name] for name in names]
    log_priors = {prior: log_prior(structures, candidates.families, prior) for prior in priors}
    tables = [
        {prior: beliefs(scores, names, log_priors[prior]) for prior in priors}
        for scores in draws.values()
    ]
    is_true = np.array([name == candidates.true_structure for name in names])
    kept = _most_probable(tables, is_true)
    labels = [names[place] for place in kept]
    return {
        "unit": UNIT,
        "n_structures": len(names),
        "structures": labels,
        "parents": [candidates.structures[label].parents for label in labels],
        "states": [candidates.structures[label].family.hidden for label in labels],
        "parameters": [int(candidates.n_parameters[label]) for label in labels],
        "variables": list(variables),
        "truth": labels.index(candidates.true_structure) if is_true.any() else None,
        "priors": list(priors),
        "methods": [_look(method) for method in methods],
        "draws": [
            {
                "name": name,
                "sizes": [int(n) for n in sorted(scores["n"].unique())],
                "chains": _chains(scores),
                "by": {prior: _rounded(table[prior], kept) for prior in priors},
            }
            for (name, scores), table in zip(draws.items(), tables, strict=True)
        ],
        "shares": None if found_share is None else _shares(found_share, methods),
    }


def beliefs(
    scores: pd.DataFrame, names: Sequence[str], log_priors: np.ndarray
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By each method of `METHODS` that the table ``scores`` of one draw has, a pair of arrays: the
    probabilities and the ranks of the structures ``names``.

    Both arrays have shape (sizes, S), and nan where a structure has no score. The probability is
    exp(score) p(structure) over its sum, with ``log_priors``, ln p(structure), of shape (S,); the
    ranks are those of this product, ties sharing the best of theirs.
    """
    sizes = sorted(scores["n"].unique())
    tables = {}
    for method in METHODS:
        rows = scores[scores["method"] == method]
        if rows.empty:
            continue
        wide = rows.pivot(index="n", columns="structure", values="score")
        log_weights = wide.reindex(index=sizes, columns=names).to_numpy(float) + log_priors
        ranks = rankdata(-log_weights, method="min", axis=-1, nan_policy="omit")
        tables[method] = normalise(log_weights), np.where(np.isnan(log_weights), np.nan, ranks)
    return tables


def _most_probable(tables: Sequence[Mapping], is_true: np.ndarray) -> np.ndarray:
    """The places of the structures that a page keeps, ascending; the true one is among them."""
    highest = is_true.astype(float)
    for by_prior in tables:
        for by_method in by_prior.values():
            for probabilities, _ in by_method.values():
                highest = np.fmax(highest, np.fmax.reduce(probabilities, axis=0))
    return np.sort(np.argsort(-highest, kind="stable")[:MOST_STRUCTURES])


def _rounded(by_method: Mapping, kept: np.ndarray) -> dict:
    """Probabilities and ranks of the structures that are kept, as lists of integers and None."""
    return {
        method: {"p": _integers(p[:, kept] * UNIT), "rank": _integers(ranks[:, kept])}
        for method, (p, ranks) in by_method.items()
    }


def _integers(values: np.ndarray) -> list[list[int | None]]:
    return [[None if np.isnan(v) else round(v) for v in row] for row in values.tolist()]


def _look(method: str) -> dict:
    """The name, label and colour of a score, as the figures have them."""
    label = "evidence" if method == "reference" else SPECS[method].label
    return {"name": method, "label": label, "colour": SPECS[method].look.colour}


def _chains(scores: pd.DataFrame) -> int | None:
    """How many chains of AIS each structure has; None without AIS."""
    chains = scores.loc[scores["method"] == "ais", "restarts"]
    return None if chains.empty else int(chains.max())


def _shares(found_share: pd.DataFrame, methods: Sequence[str]) -> dict:
    """The number of draws; by method and size the share and the ends of its interval; by method
    the smallest size with a share of one half.
    """
    rows = of_structure(found_share)
    rows = rows[rows["method"].isin(methods)]
    by_method: dict[str, dict[str, list[float]]] = {}
    for row in rows.itertuples():
        by_method.setdefault(row.method, {})[str(row.n)] = [row.share, row.low, row.high]
    return {
        "draws": int(rows["draws"].max()),
        "chains": AIS_CHAINS[PAPERS],
        "prior": PRIOR,
        "paper": {"vb": PAPER.vb_from, "bic": PAPER.bic_from},
        "by": by_method,
        "half": {
            m: min((int(n) for n, (part, *_) in of_size.items() if part >= 0.5), default=None)
            for m, of_size in by_method.items()
        },
    }
