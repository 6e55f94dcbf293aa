"""What the reference evidence says of the other scores: their errors in nats, and the posterior
over structures each implies.

Pure functions from the scores table (a DataFrame) to rows of other tables and to numbers; a table
without reference rows gives none.
"""

import numpy as np

from latentdag.scores import METHODS

INDEX = ["draw", "n", "structure"]
JUDGED = ("bic", "cs", "bic_ml", "vb", "ais", "exact")  # scores that estimate or bound the evidence
BELIEVED = ("bic", "cs", "vb", "ais", "reference")
SHARE = 0.5  # of the posterior mass
ROUNDING = 2e-6  # nats: of the difference of two scores, tabulated to 1e-6


def error_rows(scores) -> list[tuple]:
    """Rows of the errors table: score minus reference for every structure, size and method that has
    both, in nats.

    ``standard_error`` joins those of the score (0 for a deterministic one) and of the reference.
    """
    own = scores[scores["method"].isin(JUDGED)]
    both = own.merge(_reference(scores), on=INDEX, suffixes=("", "_reference"))
    both["error"] = both["score"] - both["score_reference"]
    both["joint"] = np.hypot(
        both["standard_error"].fillna(0.0), both["standard_error_reference"].fillna(0.0)
    )
    columns = [*INDEX, "method", "error", "joint"]
    return list(_ordered(both.dropna(subset="error"))[columns].itertuples(index=False, name=None))


def posterior_rows(scores) -> list[tuple]:
    """Rows of the posterior table: p(structure given y) by each method, every structure being
    equally probable beforehand.
    """
    own = _ordered(scores[scores["method"].isin(BELIEVED)].dropna(subset="score"))
    groups = own.groupby(["draw", "n", "method"])["score"]
    weight = np.exp(own["score"] - groups.transform("max"))
    total = weight.groupby([own["draw"], own["n"], own["method"]]).transform("sum")
    rows = own.assign(probability=weight / total)[[*INDEX, "method", "probability"]]
    return list(rows.itertuples(index=False, name=None))


def mass_from(posterior, true_structure: str, share: float = SHARE) -> dict[str, int | None]:
    """By method the smallest size from which, at this and every larger size, the true structure has
    over ``share`` of the mass.

    ``posterior`` is the table of one draw; None for a method that has no such size.
    """
    own = posterior[posterior["structure"] == true_structure]
    found = {}
    for method in sorted(own["method"].unique(), key=METHODS.index):
        mass = own[own["method"] == method].set_index("n")["probability"]
        short = mass.index[~(mass > share)]
        enough = mass.index[mass.index > short.max()] if len(short) else mass.index
        found[method] = int(enough.min()) if len(enough) else None
    return found


def z_scores(scores):
    """(reference - exact) / standard error, a Series by draw, n, structure, wherever both are
    known.

    Where the reference is exact itself (no error but that of writing it down) there is no z: it is
    left out when it agrees and infinite when it does not.
    """
    exact = scores.loc[scores["method"] == "exact", [*INDEX, "score"]]
    both = _reference(scores).merge(exact, on=INDEX, suffixes=("", "_exact")).set_index(INDEX)
    gap, error = both["score"] - both["score_exact"], both["standard_error"]
    noisy = error > 5 * ROUNDING
    z = gap / error.where(noisy)
    wrong = ~noisy & (gap.abs() > 5 * error.fillna(0.0) + ROUNDING)
    z[wrong] = np.sign(gap[wrong]) * np.inf
    return z.dropna()


def _reference(scores):
    return scores.loc[scores["method"] == "reference", [*INDEX, "score", "standard_error"]]


def _ordered(rows):
    """By draw, n, method and structure as all tables are."""
    place = rows["method"].map(METHODS.index)
    return rows.assign(place=place).sort_values(["draw", "n", "place", "n_parameters", "structure"])
