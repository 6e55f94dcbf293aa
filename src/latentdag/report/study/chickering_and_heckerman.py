"""Chickering & Heckerman (1997), finding by finding: what they and this run found, with verdicts;
`latentdag.study.paper.chickering_heckerman.rows`, and the tables behind them.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, number, plus_minus, table
from latentdag.study.paper import chickering_heckerman as findings

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
    rows = findings.rows(distances, chosen, findings.reading(cost), changes, prior, halves)
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
    span = findings.span(prior)
    return [
        f"From {span} (of all rows, observed and hidden) at n = {prior['n'].iloc[0]}: rank "
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
