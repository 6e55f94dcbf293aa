"""Running times of the scoring jobs, and the paper's."""

from collections.abc import Mapping

import pandas as pd

from latentdag.scores import METHODS, SPECS
from latentdag.study.paper.numbers import PAPER
from latentdag.study.schema.columns import TABLES


def timing(seconds: Mapping[tuple[str, int], float]) -> pd.DataFrame:
    """The table `timing`, a DataFrame, from wall ``seconds`` by (job, n), summed over a job's
    blocks. A job goes by the score whose time the paper states, else by its first score.
    """
    rows = []
    for (job, n), total in seconds.items():
        methods = [m for m, spec in SPECS.items() if spec.job.name == job]
        method = next((m for m in methods if m in PAPER.seconds), methods[0])
        paper = PAPER.seconds.get(method) if n == PAPER.n else None
        rows.append({"n": n, "method": method, "seconds": total, "paper_seconds": paper})
    rows.sort(key=lambda row: (row["n"], METHODS.index(row["method"])))
    return pd.DataFrame(rows, columns=TABLES["timing"].columns)


def ratio(timing: pd.DataFrame, method: str, other: str) -> float | None:
    """How many times as long ``method`` takes as ``other`` at the size for which the paper gives
    its times, from the table ``timing``; None where it lacks either there, or has 0 for ``other``.
    """
    seconds = timing.dropna(subset="paper_seconds").set_index("method")["seconds"]
    if not {method, other} <= set(seconds.index) or not seconds[other] > 0:
        return None
    return seconds[method] / seconds[other]
