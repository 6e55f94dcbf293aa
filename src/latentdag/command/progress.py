"""Progress on a terminal: the share of the work that is done, and the time left."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from latentdag.engine.durations import in_words


def words(done: float, total: float | None, things: str, spent: float) -> str:
    """The share of ``total`` that is done, and the time left; or how many ``things`` are done."""
    if total is None:
        return f"{done:.0f} {things} after {in_words(spent)}"
    share = min(done / total, 1.0)
    if share == 0:
        return f"0% done after {in_words(spent)}"
    return f"{share:.0%} done, about {in_words(spent * (1 / share - 1))} left"


@contextmanager
def progress(total: float | None, things: str, per_thing: float = 1.0) -> Iterator[dict]:
    """The argument ``report`` of the library if stderr is a terminal, else none: the work done
    since its last call, each of the ``things`` as ``per_thing``. A thread shows it once a second.
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
