"""What scores that look at the curvature around the mode of a fit have in common: the second-order
term that Cheeseman-Stutz and the variational bound leave out, and the copies of the mode.

Both scores hold the hidden states at some responsibilities and integrate theta out exactly. In the
terms of `latentdag.inference.em.information`, x = ln theta, the likelihood is exp L(x), L convex:
the sum over cells of count times a ln sum of exponentials. At any point a, its tangent lies below
it,

    L(x) = L(a) + (x - a)'t_hat + r(x),    r(x) = (x - a)'C (x - a) / 2 + third order >= 0,

t_hat the expected counts and C their covariance over hidden states at a. Without r, the integral
over the prior is one of complete data: it is F, the bound of thesis eq. 2.133 and theorem 2.3, and
the posterior that goes with it is q(theta) = Dirichlet(alpha + t_hat). So the evidence is

    ln p(y given m) = F + ln E_q[exp r(x)],    exactly.

A normal approximation of x under q, mean a and covariance Psi, gives the last term to second order:
ln E_q[exp((x - a)'C (x - a) / 2)] = -(1 / 2) ln det(I - Psi C). Psi C = J is the Jacobian of the
algorithm's map. `cs_lr` and `vb_lr` add this term, each with its own a and Psi, and ln M for the
relabelled copies of the mode. The terms of higher order may have either sign: both are criteria
near the evidence for many cases, as ``laplace`` is, and no bounds. Without hidden causes J = 0, and
both are the closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import prod

import numpy as np

from latentdag import inference
from latentdag.inference import em
from latentdag.model.structures import Structure
from latentdag.scores.base import FOR_MANY_VARIABLES, Read, Score, Task

MOST_PARAMETERS = 5_000  # probabilities in all tables; the memory grows with the square: 1 GB
NO_MAXIMUM = "the information at the estimate is not positive definite: it is no strict maximum"


def refuse(task: Task) -> None:
    """Raise ValueError where a structure of ``task`` has over MOST_PARAMETERS probabilities."""
    for s in task.structures:
        reduced = s.without_childless()
        hidden, tables = reduced.family.hidden, zip(s.family.observed, reduced.parents, strict=True)
        sizes = (k * prod(hidden[i] for i in parents) for k, parents in tables)
        if (number := sum(hidden) + sum(sizes)) > MOST_PARAMETERS:
            raise ValueError(
                f"laplace, cs_lr and vb_lr are done for structures of at most {MOST_PARAMETERS:,} "
                f"probabilities; there are {number:,}: {FOR_MANY_VARIABLES}"
            )


def mode_statistics(
    task: Task, fits: Mapping[str, em.Best]
) -> Iterator[tuple[Structure, em.Statistics, float]]:
    """Yields each structure of ``task``, the complete-data statistics of its fit, and ln M, M the
    number of distinct relabelled copies of the fit's mode, which is taken at the means (alpha +
    expected counts) / sum: theta_hat for `map`, the mean of q(theta) for `vb`. ``fits`` are by
    label.
    """
    for kernel, structures in task.kernels:
        data = em.CompleteData(kernel, kernel.prior_slots(task.prior))
        for item, structure in enumerate(structures):
            statistics = data.statistics(item, fits[structure.label].log_weights)
            u = statistics.alpha + statistics.expected
            mean = kernel.expand(item, u / statistics.row_sums(u)[statistics.row])
            reduced = structure.without_childless()
            yield structure, statistics, inference.relabellings.log_copies(reduced, mean)


def corrected(read: Read, correction: Callable[[em.Statistics], float]) -> Read:
    """A function of a task and its fits, as ``read`` is. It yields the scores that ``read`` gives,
    plus ``correction``, a function of the fit's statistics, in nats, plus ln M, M the number of
    relabelled copies of the fit's mode; a score that is nan then has the reason NO_MAXIMUM.
    """

    def read_corrected(task: Task, findings: Mapping[str, em.Best]) -> Iterator[Score]:
        modes = mode_statistics(task, findings)
        by_label = {s.label: (correction(statistics), log_m) for s, statistics, log_m in modes}
        for score in read(task, findings):
            added, log_m = by_label[score.structure.label]
            value = score.score + added + log_m
            reason = NO_MAXIMUM if np.isnan(value) else ""
            yield replace(score, score=value, reason=reason, log_copies=log_m)

    return read_corrected
