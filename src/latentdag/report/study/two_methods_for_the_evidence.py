"""Two methods for the evidence: `latentdag.study.schema.two_methods`."""

import pandas as pd

from latentdag.report.markdown import counted, listed, number, pairs, table_of
from latentdag.study.schema.frames import root_mean_square
from latentdag.study.schema.two_methods import FAR, RUNS, SPREAD, agreement, compared, disagreements

TITLE = "Two methods for the evidence"
NOTE = (
    "Bridge minus reference, which share no code but the model's, on structures that are chosen by "
    "their links and parameters alone. But for their mean, differences are in units of the "
    "combined standard error, which rests on few runs, so that more lie far out than of normal "
    "deviates. Structures whose evidence is known are left out. Where the two agree and the bridge "
    f"is the more exact, from {RUNS} runs or more that spread by at most "
    f"{counted(round(SPREAD), 'nat')}, its number is taken for the reference everywhere else."
)
COLUMNS = {
    "n": lambda r: r.Index,
    "pairs": lambda r: r.pairs,
    "mean difference (nats)": lambda r: number(r.mean, "+z.3f"),
    "root mean square": lambda r: number(r.mean_square, ".2f"),
    f"beyond {FAR:g}": lambda r: r.beyond,
    "largest": lambda r: f"{r.largest:+z.2f} ({r.structure})",
    "bridge taken": lambda r: r.bridge,
}


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of all draws."""
    both = compared(scores)
    if both.empty:
        return []
    far = disagreements(both).reset_index()
    several = len(set(both.index.get_level_values("draw"))) > 1
    names = pairs(far, several, lambda r: f" ({r.difference:+.2f} ± {r.error:.2f} nats)")
    line = (
        f"- Over {counted(len(both), 'pair')}: root mean square {root_mean_square(both['z']):.2f}; "
        f"{len(far)} beyond {FAR:g}, where the reference is kept{listed(names)}."
    )
    return [f"## {TITLE}", NOTE, table_of(agreement(both), COLUMNS), line]
