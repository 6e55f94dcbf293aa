"""Found for good: the tables of found and found_share,
`latentdag.study.many_draws.sizes_found.found_quantiles` and
`latentdag.study.paper.claims_held.at_the_papers_sizes`.
"""

from math import isinf

import pandas as pd

from latentdag.report.markdown import counted, label, share, table
from latentdag.report.population.cells import KINDS, each_kind, size_table
from latentdag.study.many_draws.sizes_found import QUANTILES, found_quantiles
from latentdag.study.paper.claims_held import at_the_papers_sizes

TITLE = "Found for good"
NOTE = (
    "A score has found the truth for good at n cases when it puts it first at n and at every "
    "larger size of this run."
)


def section(found: pd.DataFrame, found_share: pd.DataFrame, design: pd.DataFrame) -> list[str]:
    """From the tables of sizes found, of shares found, and of design: where all draws are of one
    true structure, as the paper's is, they stand beside its sizes.
    """
    if found_share.empty:
        return []
    low, _, high = (f"{q:.0%}".replace("%", " %") for q in QUANTILES)
    return [
        f"## {TITLE}",
        NOTE,
        *(_beside_the_paper(found_share) if len(set(design["true_structure"])) == 1 else []),
        "Share of draws in which the truth is found for good at n cases or fewer.",
        *each_kind(found_share, lambda rows: size_table(rows, _share)),
        f"Cases from which it is found for good: median over the draws ({low} and {high} of them). "
        "*More* stands for more cases than this run has.",
        *_sizes(found),
    ]


def _beside_the_paper(found_share: pd.DataFrame) -> list[str]:
    lines = []
    for kind in KINDS:
        for r in at_the_papers_sizes(found_share[found_share["by"] == kind]).itertuples():
            here = f"{r.number} of {counted(r.draws, 'draw')}: {share(r.share, r.low, r.high)}"
            lines.append(
                f"- The paper: {label(r.Index)} from n = {r.n} on. Here, by {kind}, at {r.n} cases "
                f"or fewer in {here}."
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
        header += [f"by {kind}", f"by {kind}: not found"]
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
