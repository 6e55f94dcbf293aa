"""Chickering & Heckerman (1997), finding by finding: what they and this run found, with verdicts.

`latentdag.study.paper.findings.total_variation`, `latentdag.study.paper.findings.choices`,
`latentdag.study.paper.findings.changes`, `latentdag.study.paper.findings.near_boundary` and
`latentdag.study.paper.findings.reading`.
"""

from collections.abc import Iterable, Iterator

import pandas as pd

from latentdag.report.markdown import counted, label, number, plus_minus, table
from latentdag.report.study.claim_by_claim import Claim
from latentdag.study.paper import findings
from latentdag.study.paper.claims import verdict

TITLE = "Chickering & Heckerman (1997), finding by finding"
WORDS = (
    "They held BIC, Cheeseman-Stutz (CS), Laplace and diagonal Laplace against a Monte Carlo "
    "evidence, for naive Bayes models with a hidden root. Diagonal Laplace is not in this study. "
    "The verdicts are on BIC, CS and Laplace where they are here, the tables have every score. Our "
    "BIC is at the MAP estimate, which the prior moves; BIC at ML knows no prior. Their models and "
    "data were others: one draw of ours cannot refute them."
)


def section(
    posterior: pd.DataFrame,
    ranks: pd.DataFrame,
    scores: pd.DataFrame,
    errors: pd.DataFrame,
    prior: pd.DataFrame,
    cost: pd.DataFrame,
) -> list[str]:
    """From the tables of one draw, and the table of costs."""
    distances = findings.total_variation(posterior)
    chosen = findings.chosen(findings.choices(ranks, scores))
    changes = findings.changes(prior)
    halves = findings.near_boundary(errors, scores)
    rows = [
        *_averaging(distances),
        *_choice(chosen),
        *_cost(findings.reading(cost)),
        *_prior(changes, prior),
        *_boundary(halves),
    ]
    if not rows:
        return []
    text = [
        f"## {TITLE}",
        WORDS,
        table(["finding", "they found", "this run", ""], rows),
        findings.RULES,
    ]
    text += _distances_table(distances)
    text += _choices_table(chosen)
    text += _changes_table(changes, prior)
    return [*text, *_halves_table(halves)]


def _averaging(distances: pd.DataFrame) -> Iterator[Claim]:
    found = findings.within(distances)
    accurate = findings.accurate(found)
    if len(accurate):
        yield Claim(
            "averaging over structures",
            "none is accurate enough",
            f"sizes with a total variation distance of at most {findings.AVERAGES:g}: "
            + _of_sizes(found, accurate.index),
            findings.of_none(accurate),
        )


def _choice(chosen: pd.DataFrame) -> Iterator[Claim]:
    accurate = findings.accurate(chosen)
    if {"bic"} < set(accurate.index):
        yield Claim(
            "choice of a structure",
            "all but BIC are accurate",
            "sizes at which the evidence of the choice is within a factor 3 of the best: "
            + _of_sizes(chosen, accurate.index),
            findings.of_all_but_bic(accurate),
        )


def _cost(reading: pd.DataFrame) -> Iterator[Claim]:
    if len(reading):
        words = "; ".join(
            f"CS {r.cs:.2f}, Laplace {r.laplace:.2f} at n = {r.Index}" for r in reading.itertuples()
        )
        yield Claim(
            "cost",
            "CS and diagonal Laplace are the most efficient",
            f"milliseconds per structure after the MAP fit (`make bench`): {words}",
            verdict(bool((reading["cs"] < reading["laplace"]).all())),
        )


def _prior(changes: pd.DataFrame, prior: pd.DataFrame) -> Iterator[Claim]:
    known = [m for m in findings.THEIRS if m in changes.index]
    if {"bic"} < set(known):
        shown = [*known, *(m for m in ("reference",) if m in changes.index)]
        words = ", ".join(f"{label(m)} {changes.loc[m, 'deviation']:.2f}" for m in shown)
        yield Claim(
            "sensitivity to the prior",
            "all but BIC are sensitive",
            f"standard deviation over the structures of the change from {_span(prior)}, in nats: "
            f"{words}",
            findings.of_all_but_bic(changes.loc[known, "deviation"] > findings.SELECTS),
        )


def _boundary(halves: pd.DataFrame) -> Iterator[Claim]:
    if len(halves):
        near, other = halves.loc["near"], halves.loc["other"]
        yield Claim(
            "MAP parameters near a boundary",
            "CS is more accurate than Laplace there",
            f"mean absolute error in the pairs nearer to it: CS {near['cs']:.2f}, Laplace "
            f"{near['laplace']:.2f} nats; in the others CS {other['cs']:.2f}, Laplace "
            f"{other['laplace']:.2f}",
            verdict(bool(near["cs"] < near["laplace"])),
        )


def _of_sizes(found: pd.DataFrame, methods: Iterable[str]) -> str:
    return ", ".join(
        f"{label(m)} {found.loc[m, 'within']} of {found.loc[m, 'sizes']}" for m in methods
    )


def _span(prior: pd.DataFrame) -> str:
    return f"alpha = {prior['alpha'].min():g} to {prior['alpha'].max():g}"


def _distances_table(distances: pd.DataFrame) -> list[str]:
    if distances.empty:
        return []
    rows = [[n, *(number(v, ".3f") for v in distances.loc[n])] for n in distances.index]
    return [
        "Total variation distance between each score's posterior over structures and the "
        "reference's, 0 to 1:",
        table(["n", *map(label, distances)], rows),
    ]


def _choices_table(chosen: pd.DataFrame) -> list[str]:
    if chosen.empty:
        return []
    header = [
        "method",
        "sizes",
        "best structure chosen",
        "one within a factor 3",
        "mean loss (nats)",
        "largest loss (nats)",
        "at n",
    ]
    rows = [
        [
            label(r.Index),
            r.sizes,
            r.best,
            r.within,
            f"{r.mean:.2f}",
            plus_minus(r.largest, r.error),
            r.at,
        ]
        for r in chosen.itertuples()
    ]
    return [
        "ln evidence of the best structure, by the reference, less that of the one that each "
        "score puts first:",
        table(header, rows),
    ]


def _changes_table(changes: pd.DataFrame, prior: pd.DataFrame) -> list[str]:
    if changes.empty:
        return []
    header = [
        "method",
        "structures",
        "rank correlation",
        "mean change",
        "standard deviation",
        "of that Monte Carlo error",
        "standard deviation from the reference's change",
    ]
    rows = [
        [
            label(r.Index),
            r.structures,
            number(r.correlation, ".3f"),
            f"{r.mean:z.2f}",
            f"{r.deviation:.2f}",
            number(r.error, ".2f"),
            number(r.apart, ".2f"),
        ]
        for r in changes.itertuples()
    ]
    return [
        f"From {_span(prior)} (of all rows, observed and hidden) at n = {prior['n'].iloc[0]}: rank "
        "correlation of the scores at both ends, and their change over the structures, in nats. A "
        "score that follows the evidence changes as the reference does:",
        table(header, rows),
    ]


def _halves_table(halves: pd.DataFrame) -> list[str]:
    if halves.empty:
        return []
    names = {"near": "nearer to the boundary", "other": "others"}
    rows = [
        [
            names[r.Index],
            counted(int(r.pairs), "pair"),
            f"{r.share:.3f}",
            f"{r.cs:.2f}",
            f"{r.laplace:.2f}",
            int(r.nearer),
        ]
        for r in halves.itertuples()
    ]
    header = [
        "pairs of structure and size",
        "number",
        "share of parameters near the boundary",
        "CS: mean absolute error (nats)",
        "Laplace",
        "pairs where CS is nearer",
    ]
    return [
        "CS and Laplace by how near the MAP estimate is to the boundary. Ours adds ln M to "
        "`laplace`, not to `cs`:",
        table(header, rows),
    ]
