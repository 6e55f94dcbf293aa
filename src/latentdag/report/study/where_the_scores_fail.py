"""Where the scores fail: `latentdag.study.one_draw.errors.by_links` and `worst`, for the scores
that
the figure of errors draws.
"""

import pandas as pd

from latentdag.report.markdown import label, number, plus_minus, table
from latentdag.study.one_draw.errors import by_links, link_groups, worst
from latentdag.study.one_draw.sizes import some_sizes
from latentdag.study.schema.frames import drawn

TITLE = "Where the scores fail"


def section(errors: pd.DataFrame, structures: pd.DataFrame, truth: str | None) -> list[str]:
    """From the table of errors of one draw, and the table of structures."""
    own = errors[errors["method"].isin(drawn("tightness", errors["method"]))]
    if own.empty:
        return []
    text = [f"## {TITLE}"]
    if truth in set(structures["structure"]):
        text += _by_links(own, structures, truth)
    rows = [
        [label(r.Index), plus_minus(r.error_nats, r.standard_error, "+"), r.structure, r.n]
        for r in worst(own).itertuples()
    ]
    header = ["score", "score minus reference (nats)", "structure", "n"]
    return [*text, "Farthest from the reference, of all structures and sizes.", table(header, rows)]


def _by_links(errors: pd.DataFrame, structures: pd.DataFrame, truth: str) -> list[str]:
    found = by_links(errors, structures, truth)
    sizes = some_sizes(found.columns)
    rows = [
        [label(m), kind, *(number(found.loc[(m, kind), n], "+z.2f") for n in sizes)]
        for m, kind in found.index
    ]
    scored = structures["structure"].isin(errors["structure"])
    counts = link_groups(structures, truth)[structures.loc[scored, "structure"]].value_counts()
    words = ", ".join(f"{kind} {counts[kind]}" for kind in found.index.unique("links"))
    text = (
        "Mean of score minus reference, in nats, by the number of links beside the true "
        f"structure's (structures: {words})."
    )
    return [text, table(["score", "links", *(f"n = {n}" for n in sizes)], rows)]
