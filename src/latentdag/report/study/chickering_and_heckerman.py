"""Chickering & Heckerman (1997), finding by finding: what they and this run found, with verdicts;
`latentdag.study.paper.chickering_heckerman.rows`, and the tables behind them.
"""

import pandas as pd

from latentdag.report.markdown import counted, label, number, plus_minus, table
from latentdag.study.paper import chickering_heckerman as findings

TITLE = "Chickering & Heckerman (1997), finding by finding"
WORDS = (
    "They compared BIC, Cheeseman-Stutz (CS), Laplace and diagonal Laplace with a Monte Carlo "
    "estimate of the evidence, for naive Bayes models with a hidden root. Diagonal Laplace is not "
    "in this study. The verdicts are on BIC, CS and Laplace; the tables have every score. BIC is "
    "at the MAP estimate here, which depends on the prior; BIC at ML does not. Their models and "
    "data differ from those of this study, so that one draw here cannot refute them."
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
        table(["finding", "they found", "this run", "verdict"], [row[:-1] for row in rows]),
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
        "Loss: ln evidence of the best structure minus ln evidence of the structure that each "
        "score ranks first, by the reference:",
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
        "its Monte Carlo error",
        "standard deviation of the change minus the reference's",
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
        f"Change of the scores from {span} (of all variables) at n = {prior['n'].iloc[0]}: rank "
        "correlation of the scores before and after, and mean and standard deviation of the change "
        "over the structures, in nats. A score that follows the evidence changes by the same "
        "amount as the reference:",
        table(header, rows),
    ]


def _halves_table(halves: pd.DataFrame) -> list[str]:
    if halves.empty:
        return []
    names = {"near": "more parameters near the boundary", "other": "fewer"}
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
        "pairs in which CS has the smaller error",
    ]
    return [
        "CS and Laplace by the distance of the MAP estimate from the boundary. In this study "
        "`laplace` has the term ln M, and `cs` does not:",
        table(header, rows),
    ]
