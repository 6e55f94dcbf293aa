"""Running times of the scoring jobs, and the paper's."""

from collections.abc import Mapping

import pandas as pd

from latentdag.scores import METHODS, SPECS
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.columns import TABLES


def timing(seconds: Mapping[tuple[str, int], float]) -> pd.DataFrame:
    """The table of times from wall ``seconds`` by job and n, summed over a job's blocks. A job goes
    by the score whose time the paper states, else by its first score.
    """
    rows = []
    for (job, n), total in seconds.items():
        methods = [m for m, spec in SPECS.items() if spec.job.name == job]
        method = next((m for m in methods if m in PAPER.seconds), methods[0])
        paper = PAPER.seconds.get(method) if n == PAPER.n else None
        rows.append({"n": n, "method": method, "seconds": total, "paper_seconds": paper})
    rows.sort(key=lambda row: (row["n"], METHODS.index(row["method"])))
    return pd.DataFrame(rows, columns=TABLES["timing"].columns)


def paper_times(timing: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table ``timing`` with a time of the paper, in the registry's order, and
    ``faster``, the paper's seconds over ours; nan where ours are 0.
    """
    rows = timing[timing["paper_seconds"].notna()]
    rows = rows.sort_values("method", key=lambda c: c.map(METHODS.index))
    return rows.assign(faster=rows["paper_seconds"] / rows["seconds"].where(rows["seconds"] > 0))


def ratio(timing: pd.DataFrame, method: str, other: str) -> tuple[float, float] | None:
    """How many times as long ``method`` takes as ``other``, here and in the paper, from the table
    ``timing``; None where it lacks a time of the paper for either, or ours of ``other`` is 0.
    """
    rows = paper_times(timing).set_index("method")
    if not {method, other} <= set(rows.index) or not rows.loc[other, "seconds"] > 0:
        return None
    a, b = rows.loc[method], rows.loc[other]
    return a["seconds"] / b["seconds"], a["paper_seconds"] / b["paper_seconds"]
