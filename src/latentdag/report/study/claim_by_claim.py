"""Claim by claim: what the sources say, what this run found, and whether they agree; from
`latentdag.study.paper.beal_ghahramani.all_claims` and the table of claims held.
"""

import pandas as pd

from latentdag.report.markdown import table
from latentdag.report.population.the_claims_draw_by_draw import holds_in
from latentdag.study.paper import sources
from latentdag.study.paper.claims import RULES, Claim

TITLE = "Claim by claim"
STARTS = (
    "One setting of the paper is not kept. The paper starts VBEM from the initial conditions of EM "
    f"({sources.SAME_STARTS}). Here EM starts from parameters drawn from the prior. VBEM starts "
    "from draws in which hidden states have very unequal probabilities, because the best bound "
    "often leaves hidden states without cases; and once from EM's best estimate."
)
OVER_DRAWS = (
    "*Over many draws* is from another study, of many draws of the paper's structure and with one "
    "AIS chain. Each claim was judged on each draw alone. The column has the number of draws in "
    "which the claim holds, of those by which it can be tested, and this share with its Wilson "
    "95 % interval."
)
OURS = "That study also judged these statements of ours:"


def section(claims: list[Claim], held: pd.DataFrame, same_starts: bool) -> list[str]:
    """The claims as a table, and the rules of their verdicts; with the table of claims ``held``
    over many draws, if it has rows, in how many of them each holds. ``same_starts``: VBEM had the
    initial conditions of EM, as in the paper.
    """
    if not claims:
        return []
    of_draws = {r.claim: r for r in held.itertuples()}
    header = ["claim", "source says", "this run", "verdict"]
    header += ["over many draws", "place in the source"] if of_draws else ["place in the source"]
    rows = []
    for claim in claims:
        *row, place = claim
        if of_draws:
            row.append(holds_in(of_draws[claim.claim]) if claim.claim in of_draws else "")
        rows.append([*row, place])
    text = [f"## {TITLE}", table(header, rows), RULES]
    if not same_starts and any("VB" in claim.claim for claim in claims):
        text.append(STARTS)
    if not of_draws:
        return text
    ours = held[held["source"] == sources.OURS]
    lines = [f"- {r.claim}: {holds_in(r)}." for r in ours.itertuples() if r.draws]
    return [*text, OVER_DRAWS, *([OURS, "\n".join(lines)] if lines else [])]
