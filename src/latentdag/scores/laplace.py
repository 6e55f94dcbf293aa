"""The Laplace approximation of the evidence: a normal density in place of the posterior, around the
MAP estimate.

With d logits (one of each row fixed, hidden variables without children left out) and H the second
derivative in them of ln p(y given theta) + ln p(theta) at theta_hat, the integral of the normal
density gives

    ln p(y given theta_hat) + ln p(theta_hat) + (d / 2) ln 2 pi - (1 / 2) ln det(-H) + ln M.

p(theta_hat) is the density of the logits, M the number of distinct copies of the mode by another
naming of hidden states and hidden variables: each holds as much of the posterior. -H is the
complete data's information less the covariance of their scores (`latentdag.fits.information`), so
that nothing is differenced.

It is no bound and has no error of its own. Where the parameters of a structure are not all
determined by the data, no number of cases makes the posterior normal: so it counts as a criterion
that is near the evidence for many cases, and not as an estimate.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import log, nan, pi

import numpy as np

from latentdag.fits.copies import log_copies
from latentdag.fits.information import CompleteData, Statistics, em_log_determinants
from latentdag.fits.restarts import Best
from latentdag.scores import map as at_map
from latentdag.scores.base import Look, Score, Side, Spec, Task
from latentdag.structures import Structure

NO_MAXIMUM = "the information at the estimate is not positive definite: it is no strict maximum"


def around(task: Task, found: Mapping[str, Best]) -> Iterator[tuple[Structure, Statistics, float]]:
    """Each structure, the complete-data statistics of its fit, and ln M of the fit's mode.

    What ln M compares are the means (alpha + expected counts) / sum: theta_hat itself for `map`,
    the mean of q(theta) for `vb`.
    """
    for kernel, structures in task.kernels:
        data = CompleteData(kernel, kernel.prior_slots(task.prior))
        for item, structure in enumerate(structures):
            statistics = data.statistics(item, found[structure.label].log_weights)
            u = statistics.alpha + statistics.expected
            mean = kernel.expand(item, u / statistics.row_sums(u)[statistics.row])
            yield structure, statistics, log_copies(structure.without_childless(), mean)


def corrected(
    task: Task,
    found: Mapping[str, Best],
    scores: Iterator[Score],
    correction: Callable[[Statistics], float],
) -> Iterator[Score]:
    """``scores`` of the fits plus ``correction`` plus ln M; one with no value says why."""
    by_label = {
        s.label: (correction(statistics), copies) for s, statistics, copies in around(task, found)
    }
    for score in scores:
        added, copies = by_label[score.structure.label]
        value = score.score + added + copies
        reason = NO_MAXIMUM if np.isnan(value) else ""
        yield replace(score, score=value, reason=reason, log_copies=copies)


def normal_integral(statistics: Statistics) -> float:
    """ln of the integral over the logits of exp(z'H z / 2): (d / 2) ln 2 pi - ln det(-H) / 2."""
    return statistics.n_logits / 2 * log(2 * pi) - sum(em_log_determinants(statistics)) / 2


def read(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """The approximation at the MAP estimate."""
    at_peak = (
        replace(fit, score=fit.score + fit.log_prior, log_prior=nan, near_boundary=nan)
        for fit in at_map.read(task, found)
    )
    return corrected(task, found, at_peak, normal_integral)


LAPLACE = Spec(
    name="laplace",
    label="Laplace",
    title="Laplace approximation",
    definition=(
        "`map` + ln p(theta_hat) + (d / 2) ln 2 pi - (1 / 2) ln det(-H) + ln M, in the logits; H "
        "the Hessian of the ln posterior, M the number of relabelled copies of the mode"
    ),
    source=(
        "paper sec. 1.2; Chickering & Heckerman 1997, Machine Learning 29, 181-212; MacKay 1998, "
        "Machine Learning 33, 77-86"
    ),
    job=at_map.JOB,
    read=read,
    side=Side.CRITERION,
    figures=("scores", "rank", "tightness"),
    look=Look("#5a1068", "X", (0, (6, 1.2, 1, 1.2, 1, 1.2)), 3.9),
    place=15,
)
