"""The Laplace approximation of the evidence: a normal density in place of the posterior, around the
MAP estimate.

With d logits (one of each row fixed, hidden variables without children left out) and H the second
derivative in them of ln p(y given theta) + ln p(theta) at theta_hat, the integral of the normal
density gives

    ln p(y given theta_hat) + ln p(theta_hat) + (d / 2) ln 2 pi - (1 / 2) ln det(-H) + ln M.

p(theta_hat) is the density of the logits, M the number of distinct relabelled copies of the mode:
each holds as much of the posterior. `latentdag.inference.em.information` has H.

It is no bound and has no error of its own. Where the parameters of a structure are not all
determined by the data, no number of cases makes the posterior normal: so it counts as a criterion
that is near the evidence for many cases, and not as an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log, nan, pi

from latentdag.inference import em
from latentdag.scores import map as at_map
from latentdag.scores.base import Look, Score, Side, Spec, Task
from latentdag.scores.modes import corrected, refuse


def normal_integral(statistics: em.Statistics) -> float:
    """ln of the integral over the d logits of exp(z'H z / 2): (d / 2) ln 2 pi - ln det(-H) / 2, in
    nats, H the second derivative of the ln posterior at the fit that ``statistics`` are of; nan
    where -H is not positive definite.
    """
    log_determinant = sum(em.information.em_log_determinants(statistics))
    return statistics.n_logits / 2 * log(2 * pi) - log_determinant / 2


def read_peak(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: ln p(y given theta_hat) + ln p(theta_hat),
    in nats, theta_hat the MAP estimate of ``fits``, by label, p(theta_hat) the prior density of its
    logits.
    """
    for fit in at_map.read(task, fits):
        yield replace(fit, score=fit.score + fit.log_prior, log_prior=nan, near_boundary=nan)


LAPLACE = Spec(
    name="laplace",
    label="Laplace",
    title="Laplace approximation",
    definition=(
        "`map` + ln p(theta_hat) + (d' / 2) ln 2 pi - (1 / 2) ln det(-H) + ln M, in the d' logits; "
        "H the Hessian of the ln posterior, M the number of relabelled copies of the mode"
    ),
    source=(
        "paper sec. 1.2; Chickering & Heckerman 1997, Machine Learning 29, 181-212; MacKay 1998, "
        "Machine Learning 33, 77-86"
    ),
    job=at_map.JOB,
    read=corrected(read_peak, normal_integral),
    side=Side.CRITERION,
    figures=("scores", "tightness"),
    look=Look("#3f0a4b", "X", (0, (6, 1.2, 1, 1.2, 1, 1.2)), 3.9),
    refuse=refuse,
    place=15,
)
