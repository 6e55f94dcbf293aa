"""In short: what the study found, in ten sentences; from the tables of one draw, the claims,
`latentdag.study.one_draw.sizes.sizes_for_good`, `latentdag.study.one_draw.errors.mean_absolute`,
`latentdag.study.one_draw.distances.nearest`,
`latentdag.study.one_draw.distances.sizes_by_limit` and
`latentdag.study.one_draw.at_one_size.best_structures`.
"""

from collections.abc import Iterator

import pandas as pd

from latentdag.report.markdown import (
    counted,
    label,
    listing,
    parents_of,
    place,
    shared_causes_in_words,
)
from latentdag.report.population.the_claims_draw_by_draw import holds_in
from latentdag.study.one_draw.at_one_size import best_structures
from latentdag.study.one_draw.distances import (
    BOTH,
    BOUND,
    DATA,
    NOTHING,
    UNDECIDED,
    nearest,
    sizes_by_limit,
    vb_limits,
)
from latentdag.study.one_draw.errors import mean_absolute
from latentdag.study.one_draw.ranks import rank_by_size
from latentdag.study.one_draw.sizes import nearest_size, sizes_for_good
from latentdag.study.paper import sources
from latentdag.study.paper.claims import VB_BEFORE_BIC, Claim, counts
from latentdag.study.paper.numbers import BEST_FIRST

TITLE = "In short"
SHOWN = ("map", "bic", "vb", "ais", "reference")  # the paper's scores, and the evidence
LIMITS = {
    NOTHING: "VB ranks it first",
    DATA: "the data limit VB",
    BOTH: "the data and the bound limit VB",
    BOUND: "the bound alone limits VB",
    UNDECIDED: "it is undecided",
}


def section(
    ranks: pd.DataFrame,
    errors: pd.DataFrame,
    at_n: pd.DataFrame,
    claims: list[Claim],
    held: pd.DataFrame,
    n: int,
    truth: str | None,
) -> list[str]:
    """From the tables of one draw, of scores those ``at_n`` cases, the claims with their verdicts,
    and in how many draws of another study each of them holds.
    """
    lines = [
        *_data(ranks, truth),
        *_first(ranks),
        *_limits(ranks),
        *_best(at_n, n),
        *_errors(errors, n),
        *_claims(claims),
        *_over_draws(held),
    ]
    return [f"## {TITLE}", "\n".join(f"- {line}" for line in lines)] if lines else []


def _data(ranks: pd.DataFrame, truth: str | None) -> Iterator[str]:
    sizes = sorted(set(ranks["n"]))
    if truth and sizes:
        span = f"{sizes[0]} to {sizes[-1]} cases" if len(sizes) > 1 else f"{sizes[0]} cases"
        yield (
            f"One draw of parameters from the structure {truth} made the data, {span}. In this "
            f"structure {shared_causes_in_words(parents_of(truth))}."
        )


def _first(ranks: pd.DataFrame) -> Iterator[str]:
    """From which size the evidence and the paper's scores rank the true structure first."""
    starts = {m: start for m, start in sizes_for_good(ranks).items() if m in SHOWN}
    if not starts:
        return
    wide = rank_by_size(ranks)
    last = wide.index[-1]
    if "reference" in starts:
        start = starts.pop("reference")
        words = f"does not rank the true structure first even at {last} cases, the largest size"
        if start:
            words = f"ranks the true structure first at {start} cases"
            words += " and at every larger size" if start < last else ", which is the largest size"
        first = wide.index[wide["reference"] == 1]
        before = [str(n) for n in first if not start or n < start]
        if before:
            words += f". It does so at {listing(before)} cases too, but not at every larger size"
        yield f"The evidence itself (reference) {words}."
    found = [f"{label(m)} at {n}" for m, n in starts.items() if n]
    never = [f"{label(m)} {place(wide.loc[last, m])}" for m, n in starts.items() if not n]
    if found:
        yield (
            "Of the paper's scores, the smallest size from which they rank it first: "
            f"{listing(found)} cases."
        )
    if never:
        yield (
            f"Of the paper's scores, these never do; their rank of it at {last} cases: "
            f"{listing(never)}."
        )


def _limits(ranks: pd.DataFrame) -> Iterator[str]:
    found = sizes_by_limit(vb_limits(ranks)) if len(vb_limits(ranks)) else {}
    words = [
        f"{LIMITS[what]} at {counted(len(found[what]), 'size')}" for what in LIMITS if what in found
    ]
    if words:
        yield f"By the ranks of VB and of the reference, {listing(words)}."


def _best(at_n: pd.DataFrame, n: int) -> Iterator[str]:
    best = best_structures(at_n[at_n["method"].isin(SHOWN)])
    if len(best):
        by_structure = {}
        for m, r in best.iterrows():
            by_structure.setdefault(r["best"], []).append(label(m))
        words = [
            f"{listing(who)}, {structure} ({shared_causes_in_words(parents_of(structure))})"
            for structure, who in by_structure.items()
        ]
        yield f"The structures that the scores rank first at {n} cases: {'; '.join(words)}."


def _errors(errors: pd.DataFrame, n: int) -> Iterator[str]:
    distances = mean_absolute(errors)
    shown = [m for m in BEST_FIRST if m in distances]
    if not shown:
        return
    n = nearest_size(distances.index, n)
    values = [f"{label(m)} {distances.loc[n, m]:.2f}" for m in shown]
    line = f"Mean distance from the ln evidence at {n} cases, in nats: {listing(values)}."
    # empirical Bayes chooses a prior for each structure: it has another evidence
    m = nearest(distances.drop(columns="vb_eb", errors="ignore"), sampling=False)[n]
    if m:
        line += (
            f" The nearest score without sampling is {label(m)}: {distances.loc[n, m]:.2f} "
            "(scores that estimate the prior are left out)."
        )
    yield line


def _claims(claims: list[Claim]) -> Iterator[str]:
    if claims:
        agree, differ, untested = counts(claims)
        yield (
            f"Of {counted(len(claims), 'claim')} of the paper, the thesis and the sequel, {agree} "
            f"agree with this draw, {differ} differ, and {untested} cannot be tested by it."
        )


def _over_draws(held: pd.DataFrame) -> Iterator[str]:
    told = (held["claim"] == VB_BEFORE_BIC) | (held["source"] == sources.OURS)
    for r in held[told & (held["draws"] > 0)].head(3).itertuples():
        yield f"Over many draws, of those that can test it, {r.claim} in {holds_in(r)}."
