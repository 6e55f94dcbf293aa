"""What the experiments share: one thread, the study's cases and evidence, and what they write.

An experiment imports this file before NumPy, which reads the number of threads when it is loaded.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from scipy.special import gammaln

from latentdag import Prior, Structure, draw_study, enumerate_structures
from latentdag.inference.em.information import CompleteData, Statistics
from latentdag.inference.slots import Kernel
from latentdag.inference.tempered import TemperedModel
from latentdag.scores import compute
from latentdag.scores.base import Task
from latentdag.study.schema import tables

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = ROOT / "results/experiments"  # what an experiment writes
PUBLISHED = ROOT / "results/published/study"  # what it reads
TRUE, SEED = Structure.from_label("1-12-12-2"), 2003


def cases_of(n: int, draw: int = 0) -> np.ndarray:
    """The first ``n`` cases of one of the study's draws."""
    return draw_study(TRUE, Prior(), n, SEED, draw).cases


def study_sizes() -> list[int]:
    """The sizes of the study."""
    text = (ROOT / "workflow/config/study.yaml").read_text(encoding="utf-8")
    return sorted(yaml.safe_load(text)["sizes"])


def every(step: int) -> list[Structure]:
    """Every so manieth of the 136 structures, from the third on."""
    return enumerate_structures()[2::step]


def tasks(sizes: Sequence[int], structures: list[Structure]) -> Iterator[Task]:
    """The task of each size of draw 0."""
    cases = cases_of(max(sizes))
    return (Task(structures, cases[:n], seed=SEED) for n in sizes)


def evidence() -> pd.DataFrame:
    """The study's evidence of draw 0, by n and structure."""
    return tables.read(PUBLISHED / "evidence.csv", "evidence").set_index(["draw", "n", "structure"])


def error(value: float, standard_error: float, truth: pd.Series) -> dict[str, float]:
    """The columns that hold an estimate against a row of `evidence`."""
    return {
        "error_nats": value - truth["log_evidence"],
        "standard_error": float(np.hypot(standard_error, truth["standard_error"])),
    }


def fits_of_vb(task: Task) -> Iterator[tuple[Kernel, int, Structure, Statistics]]:
    """Each structure, its kernel and number there, and complete-data statistics at VB's optimum."""
    fits = compute(task, ["vb"])[1]["vb"]
    for kernel, structures in task.kernels:
        data = CompleteData(kernel, kernel.prior_slots(task.prior))
        for item, s in enumerate(structures):
            yield kernel, item, s, data.statistics(item, fits[s.label].log_weights)


def log_beta(model: TemperedModel, u: np.ndarray) -> np.ndarray:
    """The sum over the rows of a structure's tables of ln B(u): (..., D) to (...)."""
    return gammaln(u).sum(axis=-1) - gammaln(model.row_sums(u)).sum(axis=-1)


def write(path: Path, rows: Iterable[dict]) -> list[dict]:
    """Write and return the rows, printed as they come; the table has the file's name."""
    kept = []
    for row in rows:
        kept.append(row)
        print(*row.values(), flush=True)
    path.parent.mkdir(exist_ok=True)
    tables.write(path, path.stem, kept)
    return kept


def print_table(head: str, rows: Iterable[Sequence]) -> None:
    """A Markdown table, row by row; the columns' names in ``head`` are separated by bars."""
    for row in (head.split(" | "), ["---"] * len(head.split(" | "))):
        print(f"| {' | '.join(row)} |")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)
