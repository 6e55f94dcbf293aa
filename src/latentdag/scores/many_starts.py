"""What the scores of fits from many starts share: their settings, the search for the best optimum
of each structure, and what a score says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from latentdag import inference
from latentdag.inference import em
from latentdag.scores.base import Score, Setting, Task

MAX_ITERATIONS = Setting(
    name="max_iterations",
    key="max_iterations",
    default=30_000,
    meaning="steps of one restart, at most; reaching it is reported as not converged",
)


def restart_settings(job: str, restarts: int, hits: int) -> tuple[Setting, ...]:
    """The settings of a job that fits from many starts."""
    return (
        Setting(
            name="restarts",
            key=f"restarts.{job}.at_most",
            default=restarts,
            meaning="restarts per structure, at most, in rounds of 8",
            source="left open by the paper; measured by `make restarts`",
        ),
        Setting(
            name="hits",
            key=f"restarts.{job}.hits",
            default=hits,
            meaning=(
                "the search stops after the round in which this number of restarts has reached the "
                "best optimum, within 0.01 nats"
            ),
            source="left open by the paper; measured by `make restarts`",
        ),
        MAX_ITERATIONS,
    )


def best_fits(
    task: Task,
    settings: Mapping[str, int],
    algorithm: Callable[[inference.Kernel], em.Algorithm],
    first: Mapping[str, Sequence[np.ndarray]] | None = None,
    sparse: bool = False,
    **how: float,
) -> dict[str, em.Best]:
    """The best fit of each structure by ``algorithm``, by label.

    Restarts begin at draws from the prior, ``sparse`` as `Task.start` says; one more begins at the
    first of the log weights ``first`` of the structure's label. ``how`` are further arguments of
    `latentdag.inference.em.restarts.search`.
    """
    found = {}
    rule = em.Restarts(**settings)
    for kernel, structures in task.kernels:
        start = task.start(kernel, structures, sparse)
        begins = first and [first[s.label][:1] for s in structures]
        best = em.restarts.search(
            kernel, algorithm(kernel), start, rule, first=begins, report=task.report, **how
        )
        found |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return found


def log_weights(found: Mapping[str, em.Best]) -> dict[str, np.ndarray]:
    """The log weights (H, F) of each fit, by label."""
    return {label: best.log_weights for label, best in found.items()}


def optima(found: Mapping[str, em.Best]) -> dict[str, np.ndarray]:
    """The log weights (K, H, F) of the distinct optima that each search found, best first, by
    label.
    """
    return {label: best.optima for label, best in found.items()}


def course(best: em.Best) -> dict:
    """The columns of a `Score` that say how the search for the fit behind it went."""
    names = ("iterations", "converged", "restarts", "restarts_at_best")
    return {name: getattr(best, name) for name in names}


def objectives(task: Task, found: Mapping[str, em.Best]) -> Iterator[Score]:
    """The objective of each fit, in nats."""
    for s in task.structures:
        yield Score(s, float(found[s.label].objective), **course(found[s.label]))
