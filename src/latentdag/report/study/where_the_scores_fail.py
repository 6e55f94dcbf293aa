"""Where the scores fail: `latentdag.study.one_draw.errors.by_links`, `link_counts` and `worst`, for
the scores that the figure of errors draws.
"""

import pandas as pd

from latentdag.report.markdown import label, number, plus_minus, table, table_of
from latentdag.study.one_draw.errors import by_links, link_counts, worst
from latentdag.study.one_draw.sizes import some_sizes
from latentdag.study.schema.frames import drawn

TITLE = "Where the scores fail"
COLUMNS = {
    "score": lambda r: label(r.Index),
    "score minus reference (nats)": lambda r: plus_minus(r.error_nats, r.standard_error, "+"),
    "structure": lambda r: r.structure,
    "n": lambda r: r.n,
}


def section(errors: pd.DataFrame, structures: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of errors of one draw, and the table of structures."""
    errors = errors[errors["method"].isin(drawn("tightness", errors["method"]))]
    if errors.empty:
        return []
    text = [f"## {TITLE}"]
    if truth in set(structures["structure"]):
        text += _by_links(errors, structures, truth)
    return [
        *text,
        "The largest error of each score, over all structures and sizes.",
        table_of(worst(errors), COLUMNS),
    ]


def _by_links(errors: pd.DataFrame, structures: pd.DataFrame, truth: str) -> list[str]:
    found = by_links(errors, structures, truth)
    sizes = some_sizes(found.columns)
    rows = [
        [label(m), kind, *(number(found.loc[(m, kind), n], "+z.2f") for n in sizes)]
        for m, kind in found.index
    ]
    counts = link_counts(errors, structures, truth)
    words = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    text = (
        "Mean of score minus reference, in nats. Structures are grouped by their number of links, "
        f"compared with the true structure ({words})."
    )
    return [text, table(["score", "links", *(f"n = {n}" for n in sizes)], rows)]
