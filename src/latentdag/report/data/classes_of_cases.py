"""Into which classes the cases fall: sizes from the table of parameters, and from that of
memberships `latentdag.study.own_data.fitted.certainty`.
"""

import pandas as pd

from latentdag.report.markdown import counted, number, table
from latentdag.study.own_data.fitted import certainty

TITLE = "Classes of cases by {structure}"
SHOWN = 10  # patterns


def section(parameters: pd.DataFrame, membership: pd.DataFrame) -> list[str]:
    """Class sizes with intervals, and the most frequent patterns with their states."""
    best = membership["structure"].iloc[0]
    own = parameters[(parameters["structure"] == best) & (parameters["estimate"] == "map")]
    if membership["states"].nunique() == 1:
        return []
    states = sorted({state for joint in membership["states"] for state in joint.split(", ")})
    # the causes come first, so that a variable of the same name does no harm
    shares = own.assign(state=own["variable"] + " = " + own["value"]).drop_duplicates("state")
    sizes = [
        [r.state, *_with_interval(r)] for r in shares[shares["state"].isin(states)].itertuples()
    ]
    found = certainty(membership)
    modal = membership[membership["modal"].astype(bool)]
    frequent = modal.sort_values("cases", ascending=False, kind="stable").head(SHOWN)
    rows = [
        [r["values"], r["cases"], r["states"], f"{r['probability']:.3f}"]
        for _, r in frequent.iterrows()
    ]
    return [
        f"## {TITLE.format(structure=best)}",
        "Each state of a cause is a class of cases. Its size is the share of cases in it, at the "
        "MAP estimate (the parameters of highest posterior density), with the interval that holds "
        "90 % of its posterior probability.",
        table(["state", "size", "90 % interval"], sizes),
        "A case does not show its states, but its values make some probable: these are its "
        f"membership probabilities (`membership.csv`). If every case is given its most probable "
        f"states, {found.right:.0%} are expected to be right. The entropy of a case's states is 0 "
        "nats where they are certain; on average it is "
        f"{found.entropy:.2f}, of at most {found.most:.2f}. "
        f"The {counted(len(rows), 'most frequent pattern')} of values:",
        table(["values", "cases", "most probable states", "their probability"], rows),
    ]


def _with_interval(row) -> list[str]:
    interval = f"{row.low:.3f} to {row.high:.3f}" if row.low == row.low else ""
    return [number(row.probability, ".3f"), interval]
