"""Two methods for the evidence: `latentdag.study.schema.two_methods`."""

import pandas as pd

from latentdag.report.markdown import counted, listed, number, pairs, table
from latentdag.study.schema.frames import root_mean_square
from latentdag.study.schema.two_methods import FAR, RUNS, SPREAD, by_size, compared, disagreements

TITLE = "Two methods for the evidence"


def section(scores: pd.DataFrame) -> list[str]:
    """From the table of scores of all draws."""
    both = compared(scores)
    if both.empty:
        return []
    rows = [
        [
            r.Index,
            r.pairs,
            number(r.mean, "+z.3f"),
            number(r.mean_square, ".2f"),
            r.beyond,
            f"{r.largest:+z.2f} ({r.structure})",
            r.bridge,
        ]
        for r in by_size(both).itertuples()
    ]
    header = [
        "n",
        "pairs",
        "mean difference (nats)",
        "root mean square",
        f"beyond {FAR:g}",
        "largest",
        "bridge taken",
    ]
    words = (
        "Bridge minus reference, which share no code but the model's, on structures that are "
        "chosen by their links and parameters alone. But for their mean, differences are in units "
        "of the combined standard error, which rests on few runs, so that more lie far out than of "
        "normal deviates. Structures whose evidence is known are left out. Where the two agree and "
        f"the bridge is the more exact, from {RUNS} runs or more that spread by at most "
        f"{counted(round(SPREAD), 'nat')}, its number is taken for the reference everywhere else."
    )
    far = disagreements(both).reset_index()
    several = both.index.get_level_values("draw").nunique() > 1
    names = pairs(far, several, lambda r: f" ({r.difference:+.2f} ± {r.error:.2f} nats)")
    line = (
        f"- Over {counted(len(both), 'pair')}: root mean square {root_mean_square(both['z']):.2f}; "
        f"{len(far)} beyond {FAR:g}, where the reference is kept{listed(names)}."
    )
    return [f"## {TITLE}", words, table(header, rows), line]
