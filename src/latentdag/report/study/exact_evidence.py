"""Exact evidence at each size that has it:
`latentdag.study.one_draw.evidence_checks.exact_checks`.
"""

import pandas as pd

from latentdag.report.markdown import label, number, table_of
from latentdag.study.one_draw.evidence_checks import FAR, exact_checks

TITLE = "Exact evidence at n = {n}"
COLUMNS = {
    "method": lambda r: label(r.Index),
    "structures": lambda r: r.structures,
    "mean": lambda r: number(r.mean, "z.3f"),
    "standard deviation": lambda r: number(r.deviation, "z.3f"),
    "lowest": lambda r: number(r.lowest, "z.3f"),
    "highest": lambda r: number(r.highest, "z.3f"),
    "rank correlation": lambda r: number(r.correlation, ".3f"),
}


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of all draws."""
    return [words for n, at_n in exact_checks(scores).items() for words in _at_size(n, *at_n)]


def _at_size(n: int, gaps: pd.DataFrame, noise: pd.DataFrame, bounds: list[tuple]) -> list[str]:
    lines = [
        f"- {label(r.Index)}, in units of its standard error: mean {r.mean:+.2f}, root mean square "
        f"{r.mean_square:.2f}, largest {r.largest:.1f}; beyond {FAR:g} in {r.beyond} of {r.number} "
        f"(about {r.expected:.0f} expected if standard errors are exact, more if they are "
        "estimated from few chains)."
        for r in noise.itertuples()
    ]
    lines += [
        f"- {label(low)} <= {label(high)}: in {kept} of {pairs}; a theorem says that it holds in "
        "all."
        for low, high, kept, pairs in bounds
    ]
    text = [f"## {TITLE.format(n=n)}"]
    if len(gaps):
        text += ["Score minus exact evidence, in nats.", table_of(gaps, COLUMNS)]
    return [*text, "\n".join(lines)] if lines else text
