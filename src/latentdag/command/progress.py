"""Progress on a terminal: the share of the work that is done, and the time left."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO


def duration(seconds: float) -> str:
    """A time as text, in the largest unit of which it has two or more."""
    for unit, name in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.0f} {name}"
    return f"{max(seconds, 1):.0f} s"


class Progress:
    """Shows on a terminal, once a second, the share that is done and the time left.

    ``total`` is all the work; where it is None, as in a search, the number of ``things`` done is
    shown.
    """

    def __init__(self, total: float | None, things: str, stream: TextIO):
        self.total, self.things, self.stream = total, things, stream
        self.done, self.began = 0.0, time.monotonic()
        self.shown = False
        self.ended = Event()
        self.thread = Thread(target=self._show, daemon=True)

    def __call__(self, done: float) -> None:
        """Add the work ``done`` since the last call."""
        self.done += done

    def __enter__(self) -> "Progress":
        self.thread.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.thread.join()
        if self.shown:
            self._write("")

    def words(self, now: float) -> str:
        """The text at the time ``now`` of `time.monotonic`."""
        spent = now - self.began
        if self.total is None:
            return f"{self.done:.0f} {self.things} after {duration(spent)}"
        share = min(self.done / self.total, 1.0)
        if share == 0:
            return f"0% done after {duration(spent)}"
        return f"{share:.0%} done, about {duration(spent * (1 / share - 1))} left"

    def _show(self) -> None:
        while not self.ended.wait(1.0):
            self.shown = True
            self._write(self.words(time.monotonic()))

    def _write(self, words: str) -> None:
        print(f"\r{words:<60}", end="\r", file=self.stream, flush=True)


@contextmanager
def progress(total: float | None, things: str, per_thing: float = 1.0) -> Iterator[dict]:
    """The keyword argument ``report`` of the library if stderr is a terminal, else none: the work
    done since its last call, where each of the ``things`` counts as ``per_thing``.
    """
    if not sys.stderr.isatty():
        yield {}
        return
    with Progress(total, things, sys.stderr) as progress:
        yield {"report": lambda done: progress(done / per_thing)}
