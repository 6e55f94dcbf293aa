"""The likelihood at the MAP estimate, from which BIC and Cheeseman-Stutz start, by EM."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from latentdag.inference import em
from latentdag.scores import many_starts
from latentdag.scores.base import Estimates, Job, Look, Score, Settings, Side, Spec, Task

# nats left to gain in EM's objective; ln p(y given theta_hat) is not stationary there, and moves
# with the root of what is left
POLISH = 1e-12
COUNT_ROUNDING = 1e-9  # an expected count that is 1 but for less than this is 1


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, em.Best]:
    """The best MAP fit, a `Best`, of each structure of ``task``, by label; ``settings`` are by
    name, ``estimates`` are not read.
    """
    return many_starts.best_fits(task, settings, em.EM, tolerance=POLISH)


def read(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task`` at the MAP estimate theta_hat of ``fits``, by
    label: ln p(y given theta_hat), in nats; as ``log_prior`` ln p(theta_hat), the prior density of
    the logits; and as ``near_boundary`` the share of the parameters, but for childless variables,
    that less than one expected count supports.
    """
    for batch, weights, structures in task.batches(fits):
        alpha = batch.kernel.prior_slots(task.prior)
        log_likelihood, counts = batch.expected_counts(np.exp(weights))
        log_prior = batch.log_prior(weights, alpha)
        few = batch.total((counts < 1 - COUNT_ROUNDING).astype(float))
        near_boundary = few / batch.kernel.n_coordinates[batch.items]
        values = zip(structures, log_likelihood, log_prior, near_boundary, strict=True)
        for s, value, prior, share in values:
            beside = {"log_prior": float(prior), "near_boundary": float(share)}
            yield Score.of_fit(s, value, fits[s.label], **beside)


JOB = Job(
    name="map",
    run=run,
    meaning="EM to the MAP estimate",
    settings=many_starts.restart_settings("map", restarts=64, hits=8),
    estimates=many_starts.optima,
)

MAP = Spec(
    name="map",
    label="MAP",
    title="MAP likelihood",
    definition="ln p(y given theta) at the best MAP estimate in the softmax basis that EM finds",
    source=(
        "the basis matters: thesis sec. 2.2.3; softmax basis: MacKay 1998, Machine Learning 33, "
        "77-86"
    ),
    job=JOB,
    read=read,
    side=Side.FIT,
    posterior=False,
    figures=("scores", "rank"),
    look=Look("#f0ba42", "^", (0, (1, 1.2)), 4.8),
    place=10,
)
