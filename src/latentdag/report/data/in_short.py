"""In short: what the scores say of the data, in ten sentences; from the tables of a study of own
data, `latentdag.study.own_data.fitted.best_by_score`, `class_sizes` and `certainty`,
`latentdag.study.own_data.marginals.number_of_causes`,
`latentdag.study.own_data.marginals.certain_pairs` and
`latentdag.study.one_draw.posterior.effective_number`.
"""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from latentdag.model.structures import Structure
from latentdag.report.markdown import (
    counted,
    label,
    listing,
    number,
    percent,
    plus_minus,
    shared_causes_in_words,
)
from latentdag.study.one_draw.posterior import effective_number
from latentdag.study.own_data.fitted import best_by_score, certainty, class_sizes, log_priors
from latentdag.study.own_data.marginals import CERTAIN, certain_pairs, number_of_causes

TITLE = "In short"
FEW = 4  # pairs of variables that are named
MISFIT = 0.05  # of p
LEAST = 0.0005  # probability of a number of causes that is named


def section(
    masses: pd.DataFrame,
    method: str,
    scores: pd.DataFrame,
    posterior: pd.DataFrame,
    causes: pd.DataFrame,
    links: pd.DataFrame,
    fit: pd.DataFrame,
    parameters: pd.DataFrame,
    membership: pd.DataFrame,
    known: Mapping[str, Structure],
    names: Sequence[str],
    equally_probable: str,
) -> list[str]:
    """From the probabilities of structures by method, of which ``method`` is the most trusted; the
    tables of a study; and the structures ``known`` by name, whose variables have these ``names``.
    """
    best = best_by_score(scores, log_priors(posterior, equally_probable))
    lines = [
        *_best(best, masses, method, known, names),
        *_causes(causes, method),
        *_pairs(links, method),
        *_others(best, method),
        *_fit(fit, best.loc[method, "best"]),
        *_classes(parameters, membership),
    ]
    return [f"## {TITLE}", "\n".join(f"- {line}" for line in lines)]


def _best(
    best: pd.DataFrame,
    masses: pd.DataFrame,
    method: str,
    known: Mapping[str, Structure],
    names: Sequence[str],
) -> Iterator[str]:
    r = best.loc[method]
    structure = known[r["best"]]
    words = shared_causes_in_words(structure.parents, names)
    yield f"The best structure by {label(method)}, the most trusted score, is {r['best']}: {words}."
    mass = masses[method]
    line = f"Its posterior probability is {number(mass[r['best']], '.2g')}"
    if lead := plus_minus(r["lead"], r["lead_error"]):
        line += f", and its score + ln prior is {lead} nats above that of the second"
    yield (
        f"{line}. The posterior is as uncertain as one over {effective_number(mass):.1f} equally "
        "probable structures."
    )


def _causes(causes: pd.DataFrame, method: str) -> Iterator[str]:
    found = number_of_causes(causes)[method].dropna()
    words = [f"{k} with probability {p:.3f}" for k, p in found.items() if p >= LEAST]
    if words:
        yield f"The number of hidden causes is {listing(words)}."


def _pairs(links: pd.DataFrame, method: str) -> Iterator[str]:
    pairs, sharing, apart = certain_pairs(links[links["method"] == method])
    if not pairs:
        return
    line = (
        f"Of {counted(pairs, 'pair')} of variables, {len(sharing)} share a cause with a "
        f"probability of at least {CERTAIN:g}, and {len(apart)} with at most {1 - CERTAIN:.2g}."
    )
    for kind, listed in (("share a cause", sharing), ("share none", apart)):
        if 0 < len(listed) <= FEW and len(listed) < pairs:
            line += f" These {kind}: {'; '.join(' and '.join(pair) for pair in listed)}."
    yield line


def _others(best: pd.DataFrame, method: str) -> Iterator[str]:
    """Which of the other scores agree on the best structure."""
    first = best.loc[method, "best"]
    agree = [label(r.Index) for r in best.itertuples() if r.Index != method and r.best == first]
    differ = [f"{label(r.Index)} ({r.best})" for r in best.itertuples() if r.best != first]
    if agree:
        yield f"The same structure is best by {listing(agree)}."
    if differ:
        yield f"Another structure is best by {listing(differ)}."


def _fit(fit: pd.DataFrame, best: str) -> Iterator[str]:
    tested = (fit["replicates"] > 0) & (fit["degrees_of_freedom"] > 0)
    for r in fit[(fit["structure"] == best) & tested].itertuples():
        misses = "misses something that the data show" if r.p_value < MISFIT else "fits the data"
        yield (
            f"The best structure {misses}: G2 = {r.G2:.2f} with {r.degrees_of_freedom} degrees of "
            f"freedom, p = {r.p_value:.3f} ± {r.p_error:.3f}."
        )


def _classes(parameters: pd.DataFrame, membership: pd.DataFrame) -> Iterator[str]:
    if len(set(membership["states"])) == 1:
        return
    sizes = [
        f"{r.state}: {percent(r.shown)}" for r in class_sizes(parameters, membership).itertuples()
    ]
    yield (
        f"Probabilities of the states by {membership['structure'].iloc[0]}: {', '.join(sizes)}. "
        f"Of the cases, {percent(certainty(membership).right)} are expected to have their most "
        "probable states."
    )
