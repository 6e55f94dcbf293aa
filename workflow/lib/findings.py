"""The tables that the findings are worded from, by run and name."""

from collections.abc import Iterable
from pathlib import Path

from latentdag.study.paper.runs import TABLES
from latentdag.study.schema import tables


def paths_of(results: Path) -> list[Path]:
    """Those of these tables that are there."""
    every = [results / run / f"{name}.csv" for run, names in TABLES.items() for name in names]
    return [path for path in every if path.exists()]


def read_runs(paths: Iterable[str | Path], results: str | Path) -> dict[str, dict]:
    """By run and name the tables at ``paths``, in ``results`` or in a run's folder there."""
    runs: dict[str, dict] = {}
    for path in map(Path, paths):
        run = path.parent.relative_to(results).as_posix().removeprefix(".")
        runs.setdefault(run, {})[path.stem] = tables.read(path, path.stem)
    return runs
