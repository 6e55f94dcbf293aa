"""Work on many items spread over processes, as far as that pays.

A result depends neither on the process that computes it nor on what else is computed there: so how
the work is cut may follow the clock. It begins in this process. What is left after the time that
others take to start goes to these.
"""

import time
from collections.abc import Callable, Iterator, Sequence

import lazy_loader as lazy

from latentdag.engine.checks import integer

joblib = lazy.load("joblib")

START = 2.0  # seconds that processes take to start, with the compiled code
PER_CORE = 4  # parts for each core, at least, where there are so many items
LARGEST_PART = 16  # items in a part: fits of several structures fill the lanes

_started = False  # whether processes wait for work: they stay for some minutes


def check_cores(cores: int | None) -> int | None:
    """``cores``, the number of processors to use, as an int; None, which is all, stays None. Raises
    ValueError unless it is an integer from 1 on, or None.
    """
    return None if cores is None else integer("cores", cores, 1)


def spread(
    function: Callable[..., Sequence],
    items: Sequence,
    cores: int | None,
    report: Callable[[float], object] | None = None,
    report_items: Callable[[int], object] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list:
    """A list of the results of ``function`` for all ``items``, in their order. ``function(part,
    report)`` returns a sequence with one result for each item of ``part``. ``cores`` is the number
    of processes, None for one on each processor. Other processes get None as ``report``; for each
    part that they have done, this process calls ``report_items`` with its number of items.
    ``clock`` gives the time in seconds.
    """
    if cores == 1 or len(items) < 2:
        return list(function(items, report))
    cores = cores or joblib.cpu_count()
    n_parts = max(min(len(items), PER_CORE * cores), len(items) // LARGEST_PART)
    parts = [items[k::n_parts] for k in range(n_parts)]  # every part resembles the whole
    results: list = [None] * len(items)
    n_in_process, began = 0, clock()
    while n_in_process < n_parts and not _started and clock() - began < START:
        results[n_in_process::n_parts] = function(parts[n_in_process], report)
        n_in_process += 1
        if n_in_process == 1:
            began = clock()  # the first part also loads and compiles what it uses
    others = process_parts(function, parts[n_in_process:], cores)
    for k, of_part in zip(range(n_in_process, n_parts), others, strict=True):
        results[k::n_parts] = of_part
        if report_items:
            report_items(len(parts[k]))
    return results


def process_parts(function: Callable, parts: Sequence, cores: int) -> Iterator:
    """Yields ``function(part, None)`` of each of ``parts``, in this order, from ``cores``
    processes; None takes the place of the ``report`` of `spread`. What ``function`` raises in a
    process is raised here.
    """
    global _started
    if not parts:
        return
    _started = True
    with joblib.parallel_config("loky", n_jobs=cores, inner_max_num_threads=1):
        yield from joblib.Parallel(return_as="generator")(
            joblib.delayed(function)(p, None) for p in parts
        )
