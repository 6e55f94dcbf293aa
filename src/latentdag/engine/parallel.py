"""Work on many items spread over processes, as far as that pays.

A result depends neither on the process that computes it nor on what else is computed there: so how
the work is cut may follow the clock. It begins in this process. What is left goes to others if it
would take longer here than they take to start, in pieces of about a second.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import lazy_loader as lazy

from latentdag.engine.checks import integer

joblib = lazy.load("joblib")

GOLDEN = (5**0.5 - 1) / 2
TRIED = 0.5  # seconds of work after which it is known how long an item takes
START = 2.0  # seconds that processes take to start, with the compiled code
PIECE = 1.0  # seconds of work in a piece
PER_CORE = 4  # pieces for each core, at least, where there are so many items

_started = False  # whether processes wait for work: they stay for some minutes


def available() -> int:
    """The cores that this process may use."""
    return joblib.cpu_count()


def check_cores(cores: int | None) -> int | None:
    """``cores``, None for all, or ValueError."""
    return None if cores is None else integer("cores", cores, 1)


def spread(
    function: Callable[..., Sequence],
    items: Sequence,
    cores: int | None,
    report: Callable[[float], object] | None = None,
    report_items: Callable[[int], object] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list:
    """What ``function(part, report)`` gives for each of the ``items``, in their order: a list, as
    long as the part.

    ``cores`` None means all. In other processes ``function`` gets None for ``report``; for these
    ``report_items`` is called with the number of items of each piece that is done.
    """
    if cores == 1 or len(items) < 2:
        return list(function(items, report))
    found: dict[int, object] = {}
    # every stretch of this order resembles the whole
    left = sorted(range(len(items)), key=lambda i: i * GOLDEN % 1)

    def done_here(n: int) -> None:
        part, left[:n] = left[:n], []
        found.update(zip(part, function([items[i] for i in part], report), strict=True))

    size = None
    if not _started:
        size = _tried(done_here, left, clock)
    if left:
        cores = cores or available()
        most = max(1, len(left) // (PER_CORE * cores))
        size = most if size is None else min(size, most)
        parts = [left[i : i + size] for i in range(0, len(left), size)]
        pieces = ([items[i] for i in part] for part in parts)
        for part, results in zip(parts, over_processes(function, pieces, cores), strict=True):
            found.update(zip(part, results, strict=True))
            if report_items:
                report_items(len(part))
    return [found[i] for i in range(len(items))]


def _tried(done_here: Callable[[int], None], left: list, clock: Callable[[], float]) -> int:
    """Do more and more items at a time, until it is known how long the others will take; then all,
    if that is not long. Gives the number of items that take about PIECE seconds.
    """
    done_here(1)  # with what is loaded and compiled when it is first used
    size = 1
    while left:
        began = clock()
        done_here(size)
        spent = clock() - began
        each = spent / size
        if each * len(left) <= START:
            done_here(len(left))
        elif spent >= TRIED:
            return max(1, int(PIECE / each))
        size = min(2 * size, len(left))
    return 1


def over_processes(function: Callable, pieces: Iterable, cores: int) -> Iterator:
    """``function(piece, None)`` of each piece, in this order, from ``cores`` processes."""
    global _started
    _started = True
    with joblib.parallel_config("loky", n_jobs=cores, inner_max_num_threads=1):
        yield from joblib.Parallel(return_as="generator")(
            joblib.delayed(function)(p, None) for p in pieces
        )
