"""What the jobs' scripts share: the model that the settings describe, and a log that shows
progress.
"""

import json
import sys
import time
import traceback
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np

from latentdag import Family, Parameters, Prior
from latentdag.files import whole


def family_of(model: dict) -> Family:
    return Family(tuple(model["family"]["hidden"]), tuple(model["family"]["observed"]))


def prior_of(model: dict) -> Prior:
    return Prior(model["alpha"], model["alpha_hidden"])


def csv_text(name: str, values: np.ndarray) -> str:
    """Rows of integers (n, J) as CSV with the columns NAME1 to NAMEJ."""
    header = ",".join(f"{name}{j + 1}" for j in range(values.shape[1]))
    return "\n".join([header, *(",".join(map(str, row)) for row in values.tolist())]) + "\n"


def read_cases(path: str, n: int | None) -> np.ndarray:
    """The first ``n`` cases of a draw, or all, (n, J)."""
    return np.loadtxt(path, delimiter=",", skiprows=1, max_rows=n, dtype=int, ndmin=2)


def write_text(path: str, text: str) -> None:
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8")


def write_parameters(path: str, parameters: Parameters) -> None:
    text = {
        "hidden": [p.tolist() for p in parameters.hidden],
        "observed": [p.tolist() for p in parameters.observed],
    }
    write_text(path, json.dumps(text, indent=1) + "\n")


def read_parameters(path: str) -> Parameters:
    text = json.loads(Path(path).read_text(encoding="utf-8"))
    return Parameters(*(tuple(np.array(p) for p in text[kind]) for kind in ("hidden", "observed")))


@contextmanager
def logged(path: str):
    """Everything that a job prints goes to its log; what ended it too, and in one line to the
    terminal.
    """
    ended = None
    try:
        with (
            Path(path).open("w", buffering=1, encoding="utf-8") as log,
            redirect_stdout(log),
            redirect_stderr(log),
        ):
            try:
                yield
            except BaseException as error:
                ended = error
                traceback.print_exc()
    except OSError as error:
        ended = ended or error
    if (
        isinstance(ended, OSError) and ended.errno and ended.filename in (None, path)
    ):  # only the log is written without its name
        ended = f"cannot write {path}: {ended.strerror}"
    elif ended:
        ended = f"{type(ended).__name__}: {ended}"
    if ended:
        print(ended, file=sys.stderr)
        sys.exit(1)


class Progress:
    """Share done and time left: a line for every twentieth of the work, and for every minute."""

    def __init__(self, what: str, total: int, unit: str = "structures"):
        self.what, self.total, self.done = what, total, 0.0
        self.start = self.told = time.monotonic()
        self.percent = 0  # as told
        print(f"{what}: {total} {unit}")

    def add(self, more: float) -> None:
        self.reach(self.done + more)

    def reach(self, done: float) -> None:
        self.done = min(done, self.total)
        percent, now = int(100 * self.done / self.total + 1e-6), time.monotonic()
        if percent >= self.percent + 5 or percent == 100 > self.percent or now >= self.told + 60:
            self.percent, self.told = percent, now
            spent = now - self.start
            left = spent * (self.total - self.done) / self.done
            print(
                f"{self.what}: {percent:3d} % done after {in_words(spent)}, {in_words(left)} left"
            )


def in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
