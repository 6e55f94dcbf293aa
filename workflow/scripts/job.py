"""What the jobs' scripts share: the model that the settings describe, and a log that shows progress."""

import json
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from latentdag import Family, Parameters, Prior


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
    """Write a file that appears whole or not at all."""
    partial = Path(f"{path}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def write_parameters(path: str, parameters: Parameters) -> None:
    text = {"hidden": [p.tolist() for p in parameters.hidden], "observed": [p.tolist() for p in parameters.observed]}
    write_text(path, json.dumps(text, indent=1) + "\n")


def read_parameters(path: str) -> Parameters:
    text = json.loads(Path(path).read_text(encoding="utf-8"))
    return Parameters(*(tuple(np.array(p) for p in text[kind]) for kind in ("hidden", "observed")))


@contextmanager
def logged(path: str):
    """Everything that a job prints, warnings and errors included, goes to its log; errors also to the terminal."""
    with Path(path).open("w", buffering=1, encoding="utf-8") as log:
        stdout, stderr = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = log
        try:
            yield
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=stderr)
            raise
        finally:
            sys.stdout, sys.stderr = stdout, stderr


class Progress:
    """Share done and time left, one line per part of the work."""

    def __init__(self, what: str, total: int):
        self.what, self.total, self.done, self.start = what, total, 0, time.monotonic()
        print(f"{what}: {total} structures", flush=True)

    def add(self, more: int) -> None:
        self.done += more
        spent = time.monotonic() - self.start
        left = spent * (self.total - self.done) / self.done
        print(f"{self.what}: {100 * self.done / self.total:3.0f} % done after {spent:.0f} s, {left:.0f} s left", flush=True)
