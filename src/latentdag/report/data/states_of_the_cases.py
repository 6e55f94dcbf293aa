"""The states of the cases: `latentdag.study.own_data.fitted.class_sizes`, `most_frequent`
and `certainty`.
"""

import pandas as pd

from latentdag.report.markdown import counted, number, table_of
from latentdag.study.own_data.fitted import certainty, class_sizes, most_frequent

TITLE = "States of the cases by {structure}"
SHOWN = 10  # patterns
SIZES = {
    "state": lambda r: r.state,
    "probability": lambda r: number(r.shown, ".3f"),
    "90 % interval": lambda r: f"{r.low:.3f} to {r.high:.3f}" if r.low == r.low else "",
}
PATTERNS = {
    "values": lambda r: r.values,
    "cases": lambda r: r.cases,
    "most probable states": lambda r: r.states,
    "their probability": lambda r: f"{r.probability:.3f}",
}


def section(parameters: pd.DataFrame, membership: pd.DataFrame) -> list[str]:
    """Probabilities of the states with intervals, and the most frequent patterns with theirs."""
    if len(set(membership["states"])) == 1:
        return []
    found, patterns = certainty(membership), most_frequent(membership, SHOWN)
    return [
        f"## {TITLE.format(structure=membership['structure'].iloc[0])}",
        "The probability of each state of a cause: the posterior mean with its 90 % interval, or "
        "the estimate where there is no interval.",
        table_of(class_sizes(parameters, membership), SIZES),
        "The states of a case are hidden. Their probabilities given its values are its membership "
        f"probabilities (`membership.csv`). If each case is assigned to its most probable states, "
        f"{found.right:.0%} of the assignments are expected to be right. The entropy of a case's "
        f"states is 0 nats if they are certain. Its mean is {found.entropy:.2f}, and its maximum "
        f"would be {found.most:.2f}. "
        f"The {counted(len(patterns), 'most frequent pattern')} of values:",
        table_of(patterns, PATTERNS),
    ]
