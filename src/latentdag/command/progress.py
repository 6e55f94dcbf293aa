"""Progress on a terminal: the share of the work that is done, and the time left."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from latentdag.engine.durations import progress_in_words as words


@contextmanager
def progress(total: float | None, things: str, per_thing: float = 1.0) -> Iterator[dict]:
    """A context that gives keyword arguments for the library: if stderr is a terminal ``report``,
    which takes the work done since its last call, else none. A thread shows once a second how many
    of ``total`` ``things`` are done (None: unknown); ``per_thing`` is the work of one.
    """
    if not sys.stderr.isatty():
        yield {}
        return
    began, reports, ended = time.monotonic(), [], Event()

    def show() -> None:
        shown = False
        while not ended.wait(1.0):
            shown = True
            write(words(sum(reports) / per_thing, total, things, time.monotonic() - began))
        if shown:
            write("")

    def write(text: str) -> None:
        print(f"\r{text:<60}", end="\r", file=sys.stderr, flush=True)

    thread = Thread(target=show, daemon=True)
    thread.start()
    try:
        yield {"report": reports.append}
    finally:
        ended.set()
        thread.join()
