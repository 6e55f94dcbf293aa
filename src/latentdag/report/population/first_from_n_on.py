"""First from n on: the tables of found and found_share,
`latentdag.study.many_draws.sizes_found.found_quantiles` and
`latentdag.study.paper.claims_held.at_the_papers_sizes`.
"""

from math import isinf

import pandas as pd

from latentdag.report.markdown import counted, label, share, table
from latentdag.report.population.cells import KINDS, each_kind, size_table
from latentdag.study.many_draws.sizes_found import QUANTILES, found_quantiles
from latentdag.study.paper.claims_held import at_the_papers_sizes

TITLE = "First from n on"
NOTE = (
    "A score ranks the truth *first from n on* if it ranks it first at n cases and at every larger "
    "size of this run."
)


def section(found: pd.DataFrame, found_share: pd.DataFrame, design: pd.DataFrame) -> list[str]:
    """From the tables of sizes found, of shares found, and of design: where all draws are of one
    true structure, as in the paper, with the paper's sizes.
    """
    if found_share.empty:
        return []
    low, _, high = (f"{q:.0%}".replace("%", " %") for q in QUANTILES)
    return [
        f"## {TITLE}",
        NOTE,
        *(_next_to_the_paper(found_share) if len(set(design["true_structure"])) == 1 else []),
        "Share of draws in which a score ranks the truth first from n cases on, or from fewer.",
        *each_kind(found_share, lambda rows: size_table(rows, _share)),
        f"Number of cases from which on the truth is first: median over the draws, with the {low} "
        f"and {high} quantiles. *More* means more cases than this run has.",
        *_sizes(found),
    ]


def _next_to_the_paper(found_share: pd.DataFrame) -> list[str]:
    lines = []
    for kind in KINDS:
        for r in at_the_papers_sizes(found_share[found_share["by"] == kind]).itertuples():
            here = f"{r.number} of {counted(r.draws, 'draw')}: {share(r.share, r.low, r.high)}"
            lines.append(
                f"- In the paper {label(r.Index)} finds the true structure at {r.n} cases. Here, "
                f"by {kind}, {label(r.Index)} ranks the truth first from {r.n} cases on, or from "
                f"fewer, in {here}."
            )
    return ["\n".join(lines)] if lines else []


def _share(r) -> str:
    return share(r.share, r.low, r.high)


def _sizes(found: pd.DataFrame) -> list[str]:
    parts = {kind: found_quantiles(found[found["by"] == kind]) for kind in KINDS}
    methods = parts["structure"].index.union(parts["class"].index, sort=False)
    rows = [
        [label(m), *(cell for quantiles in parts.values() for cell in _cells(quantiles, m))]
        for m in methods
    ]
    header = ["score"]
    for kind in parts:
        header += [f"by {kind}", f"by {kind}: never"]
    return [table(header, rows)] if rows else []


def _cells(quantiles: pd.DataFrame, method: str) -> list[str]:
    if method not in quantiles.index:
        return ["", ""]
    row = quantiles.loc[method]
    low, middle, high = ("more" if isinf(row[q]) else f"{row[q]:g}" for q in QUANTILES)
    return [
        f"{middle} ({low}, {high})",
        f"{row['never']:g} of {counted(int(row['draws']), 'draw')}",
    ]
