"""What the scores of fits from many starts share: settings, search, and what a score says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from latentdag.inference import em
from latentdag.scores.base import Score, Setting, Settings, Task

MAX_ITERATIONS = Setting(
    "max_iterations",
    "max_iterations",
    30_000,
    "steps of one restart, at most; reaching it is reported as not converged",
)
LEFT_OPEN = "left open by the paper; measured by `make restarts`"


def restart_settings(job: str, restarts: int, hits: int) -> tuple[Setting, ...]:
    """The settings of the ``job`` of this name, which fits from many starts: ``restarts`` and
    ``hits``, with these defaults, and ``max_iterations``.
    """
    return (
        Setting(
            "restarts",
            f"restarts.{job}.at_most",
            restarts,
            "restarts per structure, at most, in rounds of 8",
            LEFT_OPEN,
        ),
        Setting(
            "hits",
            f"restarts.{job}.hits",
            hits,
            "the search stops after the round in which this number of restarts has reached the "
            "best optimum, within 0.01 nats",
            LEFT_OPEN,
        ),
        MAX_ITERATIONS,
    )


def best_fits(
    task: Task,
    settings: Settings,
    algorithm: Callable[[np.ndarray], em.Algorithm],
    first: Mapping[str, Sequence[np.ndarray]] | None = None,
    sparse: bool = False,
    adapt: Callable[[np.ndarray], np.ndarray] = lambda log_weights: log_weights,
    **how: float,
) -> dict[str, em.Best]:
    """The best fit, a `Best`, of each structure of ``task``, by label, by the algorithm that
    ``algorithm`` gives for the prior's Dirichlet parameter of every column, (F,). ``settings`` has
    the values of `restart_settings` by name.

    Restarts begin at draws from the prior, ``sparse`` as `Task.start` says; one more begins at each
    of the log weights ``first`` of the structure's label; the algorithm takes what ``adapt`` makes
    of them. ``how`` are further arguments of `latentdag.inference.em.fixed_point.search`.
    """
    fits = {}
    for kernel, structures in task.kernels:
        start = task.start(kernel, structures, sparse)
        begins = first and [[*map(adapt, first[s.label])] for s in structures]

        def begin(s: int, r: int, draw=start) -> np.ndarray:
            return adapt(draw(s, r))

        of_kernel = algorithm(kernel.prior_slots(task.prior))
        best = em.fixed_point.search(
            kernel, of_kernel, begin, settings, first=begins, report=task.report, **how
        )
        fits |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return fits


def optima(fits: Mapping[str, em.Best]) -> dict[str, np.ndarray]:
    """Log weights (K, H, F) of the distinct optima of each search, best first, by label, from
    ``fits``, a `Best` by label.
    """
    return {label: best.optima for label, best in fits.items()}


def objectives(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: the objective, in nats, of its fit in
    ``fits``, a `Best` by label.
    """
    for s in task.structures:
        yield Score.of_fit(s, fits[s.label].objective, fits[s.label])
