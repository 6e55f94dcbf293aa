"""The likelihood at the MAP estimate, by EM from many starts: the fit that BIC and Cheeseman-Stutz
start from.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from latentdag.inference.em.em import EM
from latentdag.inference.em.restarts import Best, Restarts, search
from latentdag.scores.base import Job, Look, Score, Setting, Side, Spec, Task

# nats left to gain in EM's objective; ln p(y given theta_hat) is not stationary there, and moves
# with the root of what is left
POLISH = 1e-12
ROUNDING = 1e-9  # an expected count that is 1 but for less than this is 1
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
            meaning="no further round once the best, within 0.01 nats, was reached so often",
            source="left open by the paper; measured by `make restarts`",
        ),
        MAX_ITERATIONS,
    )


def log_weights(found: Mapping[str, Best]) -> dict[str, np.ndarray]:
    """The log weights (H, F) of each fit, by label."""
    return {label: best.log_weights for label, best in found.items()}


def optima(found: Mapping[str, Best]) -> dict[str, np.ndarray]:
    """The log weights (K, H, F) of the distinct optima that each search found, best first, by
    label.
    """
    return {label: best.optima for label, best in found.items()}


def how_it_went(best: Best) -> dict:
    """What a `Score` says of the fit behind it."""
    names = ("iterations", "converged", "restarts", "restarts_at_best")
    return {name: getattr(best, name) for name in names}


def run(task: Task, settings: Mapping[str, int], estimates: Mapping) -> dict[str, Best]:
    """The best MAP fit of each structure, by label."""
    found = {}
    for kernel, structures in task.kernels:
        em = EM(kernel.prior_slots(task.prior))
        start = task.start(kernel, structures)
        best = search(kernel, em, start, Restarts(**settings), POLISH, report=task.report)
        found |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return found


def read(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """ln p(y given theta_hat); beside it ln p(theta_hat), the prior density of the logits, and the
    share of the parameters that less than one expected count supports.

    Each value of a row is a parameter; those of childless hidden variables are not counted.
    """
    for batch, weights, structures in task.batches(log_weights(found)):
        alpha = batch.kernel.prior_slots(task.prior)
        log_likelihood, counts = batch.expected_counts(np.exp(weights))
        log_prior = batch.log_prior(weights, alpha)
        few = batch.total((counts < 1 - ROUNDING).astype(float))
        near_boundary = few / batch.kernel.n_coordinates[batch.items]
        values = zip(structures, log_likelihood, log_prior, near_boundary, strict=True)
        for s, value, prior, share in values:
            beside = {"log_prior": float(prior), "near_boundary": float(share)}
            yield Score(s, float(value), **how_it_went(found[s.label]), **beside)


JOB = Job(
    name="map",
    run=run,
    meaning="EM to the MAP estimate",
    settings=restart_settings("map", restarts=64, hits=8),
    estimates=optima,
)

MAP = Spec(
    name="map",
    label="MAP",
    title="MAP likelihood",
    definition="ln p(y given theta) at the best MAP estimate in the softmax basis that EM finds",
    source="Beal's thesis, sec. 2.2.3",
    job=JOB,
    read=read,
    side=Side.FIT,
    posterior=False,
    figures=("scores", "rank"),
    look=Look("#e3a72f", "^", (0, (1, 1.2)), 4.8),
    place=10,
)
