"""Claim by claim: what the paper says, what this run found, and whether they agree; from
`latentdag.study.paper.beal_ghahramani.all_claims` and the table of claims held.
"""

import pandas as pd

from latentdag.report.markdown import share, table
from latentdag.study.paper.claims import RULES, Claim

TITLE = "Claim by claim"
OVER_DRAWS = (
    "*Over many draws*: another run, of many draws of the paper's structure and with a single AIS "
    "chain, judged each claim on every draw alone. It holds in so many of those that can tell, "
    "with the Wilson 95 % interval of their share. Where the paper's own figures lie among those "
    "draws, and what else was judged there:"
)


def section(claims: list[Claim], held: pd.DataFrame) -> list[str]:
    """The claims as a table, and the rules of their verdicts; with the table of claims ``held``
    over many draws, if it has rows, in how many of them each holds.
    """
    if not claims:
        return []
    header = ["claim", "paper", "this run", ""]
    if held.empty:
        return [f"## {TITLE}", table(header, claims), RULES]
    of_draws = {r.claim: _in_so_many(r) for r in held.itertuples()}
    rows = [[*claim, of_draws.pop(claim.claim, "")] for claim in claims]
    only = [f"- {claim}: {in_so_many}." for claim, in_so_many in of_draws.items() if in_so_many]
    text = [f"## {TITLE}", table([*header, "over many draws"], rows), RULES, OVER_DRAWS]
    return [*text, "\n".join(only)] if only else text


def _in_so_many(row) -> str:
    """In how many of the draws that can tell a claim holds: a row of the table of claims held."""
    if not row.draws:
        return ""
    return f"{row.holds} of {row.draws}: {share(row.share, row.low, row.high)}"
