"""The page of ``make outside``. The words are in ``templates/outside.md.j2``."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from latentdag.engine.significance import LEVEL
from latentdag.report.markdown import label, percent, share, with_error, written
from latentdag.study.many_draws.outside import least_and_most_lost
from latentdag.study.one_draw.score_arrays import EVIDENCE


def write_outside_summary(config: Mapping, table: pd.DataFrame) -> str:
    """The page in Markdown, as text, from the DataFrame ``outside``, ``table``. Of ``config`` the
    keys ``draws``, ``alpha``, ``replicates`` and ``truths`` are read; the first truth is the
    control, for which a valid test rejects as often as it should.
    """
    n, control = table["n"].max(), next(iter(config["truths"]))
    last = table[table["n"] == n]
    of_evidence = table[table["method"] == EVIDENCE]
    ends = least_and_most_lost(last)
    return written(
        "outside.md.j2",
        config=config,
        n=n,
        level=LEVEL,
        rows=[_row(row) for row in table.itertuples()],
        by_evidence=list(of_evidence[of_evidence["n"] == n].itertuples()),
        control=control,
        of_control=list(of_evidence[of_evidence["truth"] == control].itertuples()),
        ends=[(truth, *ends[truth]) for truth in config["truths"]],
    )


def _row(row: Any) -> list[Any]:
    """The cells of a truth, size and score."""
    return [
        *(row.truth, row.n, label(row.method), f"{row.top} ({percent(row.share)})"),
        with_error(row, "n_links"),
        with_error(row, "top_probability"),
        with_error(row, "lost_by_top", 1000),
        share(row.rejected, row.low, row.high),
    ]
