"""What a job says: a log that shows its progress and at the end its processor time, and one line on
the terminal when it fails.

No number depends on it: an edit here reruns nothing.
"""

import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from itertools import starmap
from math import nan
from pathlib import Path

import lazy_loader as lazy
import numpy as np

from latentdag.engine.durations import progress_in_words

joblib = lazy.load("joblib")

SPENT = "processor time: {:.2f} s"


@contextmanager
def logged(path: str) -> Iterator[None]:
    """A context that sends all that a job prints to its log, the file at ``path``. What ends the
    job early goes there too, and in one line to the terminal; then the exit status is 1.
    """
    ended: BaseException | str | None = None
    try:
        with (
            Path(path).open("w", buffering=1, encoding="utf-8") as log,
            redirect_stdout(log),
            redirect_stderr(log),
        ):
            try:
                yield
                print(SPENT.format(processor_seconds()))
            except BaseException as error:
                ended = error
                traceback.print_exc()
    except OSError as error:
        ended = ended or error
    # an OSError that names no other file comes from writing the log
    if isinstance(ended, OSError) and ended.errno and ended.filename in (None, path):
        ended = f"cannot write {path}: {ended.strerror}"
    elif ended:
        ended = f"{type(ended).__name__}: {ended}"
    if ended:
        print(ended, file=sys.stderr)
        sys.exit(1)


def batches(structures: Iterable, together: int, n_workers: int = 1) -> Iterator[list]:
    """Yields the ``structures``, of several families, as lists of one family: at most ``together``,
    as many as a job can take at once, in a list, and at least one list per worker.
    """
    families: dict = {}
    for s in structures:
        families.setdefault(s.family, []).append(s)
    for of_family in families.values():
        n_parts = max(-(-len(of_family) // together), min(n_workers, len(of_family)))
        for part in np.array_split(np.arange(len(of_family)), n_parts):
            yield [of_family[i] for i in part]


_of_workers: dict[int, float] = {}  # processor seconds of each process of `on_cores`


def on_cores(n: int, function: Callable, pieces: Iterable[tuple]) -> Iterator:
    """Yields what ``function(*piece)`` gives for each of ``pieces``, in order, from ``n``
    processes.
    """
    if n == 1:
        yield from starmap(function, pieces)
        return
    timed = (joblib.delayed(_timed)(function, piece) for piece in pieces)
    for result, process, seconds in joblib.Parallel(n, return_as="generator")(timed):
        _of_workers[process] = max(seconds, _of_workers.get(process, 0.0))
        yield result


def _timed(function: Callable, piece: tuple) -> tuple[object, int, float]:
    """What a worker gives, its number, and its processor time since its start."""
    result = function(*piece)
    return result, os.getpid(), time.process_time()


def processor_seconds() -> float:
    """Processor time in seconds of this process since its start, and of those of `on_cores`.
    Snakemake's benchmarks look every half minute, and so miss the last part of a job.
    """
    return time.process_time() + sum(_of_workers.values())


def seconds_spent(log: Path) -> float:
    """The processor time in seconds with which the file ``log`` ends; nan if it does not, or is not
    there.
    """
    last = log.read_text(encoding="utf-8").splitlines()[-1:] if log.exists() else []
    matches = [re.fullmatch(SPENT.replace("{:.2f}", r"([\d.]+)"), line) for line in last]
    return float(matches[0][1]) if any(matches) else nan


class Progress:
    """A line for each minute of the work, with the time that is left where the total is known."""

    def __init__(self, what: str, total: int | None = None, unit: str = "structures"):
        self.what, self.total, self.unit, self.done = what, total, unit, 0.0
        self.start = self.last = time.monotonic()
        if total is not None:
            print(f"{what}: {total} {unit}")

    def add(self, more: float) -> None:
        """Count ``more`` units as done; print a line if a minute has passed since the last one."""
        self.reach(self.done + more)

    def reach(self, done: float) -> None:
        """Count ``done`` units in all; print a line if a minute has passed since the last one."""
        self.done, now = done, time.monotonic()
        if now >= self.last + 60:
            self.last = now
            words = progress_in_words(done, self.total, self.unit, now - self.start)
            print(f"{self.what}: {words}")
