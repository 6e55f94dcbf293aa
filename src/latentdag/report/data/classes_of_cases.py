"""Into which classes the cases fall: `latentdag.study.own_data.fitted.class_sizes`, `most_frequent`
and `certainty`.
"""

import pandas as pd

from latentdag.report.markdown import counted, number, table_of
from latentdag.study.own_data.fitted import certainty, class_sizes, most_frequent

TITLE = "Classes of cases by {structure}"
SHOWN = 10  # patterns
SIZES = {
    "state": lambda r: r.state,
    "size": lambda r: number(r.probability, ".3f"),
    "90 % interval": lambda r: f"{r.low:.3f} to {r.high:.3f}" if r.low == r.low else "",
}
PATTERNS = {
    "values": lambda r: r.values,
    "cases": lambda r: r.cases,
    "most probable states": lambda r: r.states,
    "their probability": lambda r: f"{r.probability:.3f}",
}


def section(parameters: pd.DataFrame, membership: pd.DataFrame) -> list[str]:
    """Class sizes with intervals, and the most frequent patterns with their states."""
    if len(set(membership["states"])) == 1:
        return []
    found, patterns = certainty(membership), most_frequent(membership, SHOWN)
    return [
        f"## {TITLE.format(structure=membership['structure'].iloc[0])}",
        "Each state of a cause is a class of cases. Its size is the share of cases in it, at the "
        "MAP estimate (the parameters of highest posterior density), with the interval that holds "
        "90 % of its posterior probability.",
        table_of(class_sizes(parameters, membership), SIZES),
        "A case does not show its states, but its values make some probable: these are its "
        f"membership probabilities (`membership.csv`). If every case is given its most probable "
        f"states, {found.right:.0%} are expected to be right. The entropy of a case's states is 0 "
        "nats where they are certain; on average it is "
        f"{found.entropy:.2f}, of at most {found.most:.2f}. "
        f"The {counted(len(patterns), 'most frequent pattern')} of values:",
        table_of(patterns, PATTERNS),
    ]
