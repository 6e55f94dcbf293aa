"""Running times of the scoring jobs beside the paper's."""

from collections.abc import Mapping

import pandas as pd

from latentdag.scores import METHODS, SPECS
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.columns import TABLES


def timing(seconds: Mapping[tuple[str, int], float], draws: int) -> pd.DataFrame:
    """The table of times from wall ``seconds`` by job and n, summed over a job's blocks and all
    ``draws``, for one draw.

    A job goes by the score whose time the paper states, else by its first score.
    """
    rows = []
    for (job, n), total in seconds.items():
        own = [m for m, spec in SPECS.items() if spec.job.name == job]
        method = next((m for m in own if m in PAPER.seconds), own[0])
        paper = PAPER.seconds.get(method) if n == PAPER.n else None
        rows.append({"n": n, "method": method, "seconds": total / draws, "paper_seconds": paper})
    rows.sort(key=lambda row: (row["n"], METHODS.index(row["method"])))
    return pd.DataFrame(rows, columns=TABLES["timing"].columns)


def beside_paper(timing: pd.DataFrame) -> pd.DataFrame:
    """The rows for which the paper states a time, and in ``faster`` how many times ours goes into
    it; nan where ours is written as 0.
    """
    own = timing[timing["paper_seconds"].notna()]
    own = own.sort_values("method", key=lambda c: c.map(METHODS.index))
    return own.assign(faster=own["paper_seconds"] / own["seconds"].where(own["seconds"] > 0))


def ratio(timing: pd.DataFrame, method: str, other: str) -> tuple[float, float] | None:
    """How many times as long ``method`` takes as ``other``: here and in the paper. None where
    either is not known of both.
    """
    own = beside_paper(timing).set_index("method")
    if not {method, other} <= set(own.index) or not own.loc[other, "seconds"] > 0:
        return None
    a, b = own.loc[method], own.loc[other]
    return a["seconds"] / b["seconds"], a["paper_seconds"] / b["paper_seconds"]
