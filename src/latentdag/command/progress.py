"""What a terminal shows while work goes on: how much is done, and the time left."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TextIO

from latentdag.command.method_choice import in_words


class Progress:
    """Tells on a terminal, once a second, how much is done and how long the rest will take.

    ``total`` is the work in all; None where nobody knows, as in a search: then what is told is how
    many ``things`` are done.
    """

    def __init__(self, total: float | None, things: str, stream: TextIO):
        self.total, self.things, self.stream = total, things, stream
        self.done, self.began = 0.0, time.monotonic()
        self.told = False
        self.ended = Event()
        self.teller = Thread(target=self._tell, daemon=True)

    def __call__(self, done: float) -> None:
        """Count what is ``done`` since the last call."""
        self.done += done

    def __enter__(self) -> "Progress":
        self.teller.start()
        return self

    def __exit__(self, *_) -> None:
        self.ended.set()
        self.teller.join()
        if self.told:
            self._write("")

    def words(self, now: float) -> str:
        """What is told at a time, as `time.monotonic` has it."""
        spent = now - self.began
        if self.total is None:
            return f"{self.done:.0f} {self.things} after {in_words(spent)}"
        share = min(self.done / self.total, 1.0)
        if share == 0:
            return f"0% done after {in_words(spent)}"
        return f"{share:.0%} done, about {in_words(spent * (1 / share - 1))} left"

    def _tell(self) -> None:
        while not self.ended.wait(1.0):
            self.told = True
            self._write(self.words(time.monotonic()))

    def _write(self, words: str) -> None:
        print(f"\r{words:<60}", end="\r", file=self.stream, flush=True)


@contextmanager
def progress(total: float | None, things: str, per_thing: float = 1.0) -> Iterator[dict]:
    """The keyword argument ``report`` of the library, where somebody may see it; each of the
    ``things`` is reported as ``per_thing``.
    """
    if not sys.stderr.isatty():
        yield {}
        return
    with Progress(total, things, sys.stderr) as progress:
        yield {"report": lambda done: progress(done / per_thing)}
