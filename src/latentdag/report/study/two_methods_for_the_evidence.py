"""Two methods for the evidence: `latentdag.study.schema.two_methods`."""

import pandas as pd

from latentdag.report.markdown import counted, listed, number, pairs, table_of
from latentdag.study.schema.frames import root_mean_square
from latentdag.study.schema.two_methods import FAR, RUNS, SPREAD, agreement, compared, disagreements

TITLE = "Two methods for the evidence"
NOTE = (
    "The bridge is a sequential Monte Carlo from the modes to the posterior. The table is about "
    "its estimate minus the reference. The two methods share only the code of the model. The "
    "structures are chosen by their links and parameters, and structures with known evidence are "
    "left out. *Root mean square* and *largest* are in units of the combined standard error, which "
    "is estimated from few runs, so that large values are more frequent than for normal deviates. "
    "The bridge's estimate replaces the reference in all other tables under three conditions: the "
    f"two agree, the bridge has the smaller error, and it has {RUNS} runs or more with a standard "
    f"deviation of at most {counted(round(SPREAD), 'nat')}."
)
COLUMNS = {
    "n": lambda r: r.Index,
    "pairs": lambda r: r.pairs,
    "mean difference (nats)": lambda r: number(r.mean, "+z.3f"),
    "root mean square": lambda r: number(r.mean_square, ".2f"),
    f"beyond {FAR:g}": lambda r: r.beyond,
    "largest": lambda r: f"{r.largest:+z.2f} ({r.structure})",
    "bridge used": lambda r: r.bridge,
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
