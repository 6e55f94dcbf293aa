"""Exact evidence at each size that has it: `latentdag.study.one_draw.evidence_checks`."""

import pandas as pd

from latentdag.report.markdown import label, number, table
from latentdag.scores import SPECS
from latentdag.study.one_draw import evidence_checks
from latentdag.study.schema.frames import root_mean_square

TITLE = "Exact evidence at n = {n}"


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of all draws."""
    text = []
    for n, at_n in scores.groupby("n"):
        beside = evidence_checks.with_exact(at_n)
        if len(beside):
            text += _at_size(n, at_n, beside)
    return text


def _at_size(n: int, at_n: pd.DataFrame, beside: pd.DataFrame) -> list[str]:
    rows = [
        [
            label(r.Index),
            r.structures,
            *(number(v, "z.3f") for v in (r.mean, r.deviation, r.lowest, r.highest)),
            number(r.correlation, ".3f"),
        ]
        for r in evidence_checks.exact_gaps(beside).itertuples()
    ]
    header = [
        "method",
        "structures",
        "mean",
        "standard deviation",
        "lowest",
        "highest",
        "rank correlation",
    ]
    lines = [
        _in_standard_errors(m, evidence_checks.in_standard_errors(at_n, m))
        for m in beside
        if SPECS[m].monte_carlo and m not in ("exact", "reference")
    ]
    lines += [
        f"- {label(low)} <= {label(high)}: in {kept} of {pairs}, as must be in all."
        for low, high, kept, pairs in evidence_checks.bounds_kept(beside)
    ]
    text = [f"## {TITLE.format(n=n)}"]
    if rows:
        text += ["Score minus exact evidence, in nats.", table(header, rows)]
    lines = [line for line in lines if line]
    return [*text, "\n".join(lines)] if lines else text


def _in_standard_errors(method: str, z: pd.Series) -> str:
    if z.empty:
        return ""
    return (
        f"- {label(method)}, in units of its standard error: mean {z.mean():+.2f}, root mean "
        f"square {root_mean_square(z):.2f}, largest {z.abs().max():.1f}; beyond "
        f"{evidence_checks.FAR:g} in {(z.abs() > evidence_checks.FAR).sum()} of {len(z)} (about "
        f"{evidence_checks.CHANCE * len(z):.0f} expected from exact errors, more from errors "
        "estimated on few chains)."
    )
