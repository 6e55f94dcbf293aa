"""Scores that look at the curvature around the mode of a fit: Laplace's approximation, and what
Cheeseman-Stutz and the variational bound leave out. All add ln M, M the number of distinct
relabelled copies of the mode: each holds as much of the posterior.

**Laplace.** With d logits (one of each row fixed, hidden variables without children left out) and H
the second derivative in them of ln p(y given theta) + ln p(theta) at theta_hat, a normal density in
place of the posterior gives

    ln p(y given theta_hat) + ln p(theta_hat) + (d / 2) ln 2 pi - (1 / 2) ln det(-H) + ln M.

p(theta_hat) is the density of the logits; `latentdag.inference.em.information` has H. It is no
bound and has no error of its own. Where the parameters of a structure are not all determined by the
data, no number of cases makes the posterior normal: so it counts as a criterion that is near the
evidence for many cases, and not as an estimate.

**Linear response.** Cheeseman-Stutz and the bound hold the hidden states at some responsibilities
and integrate theta out exactly. In the terms of `latentdag.inference.em.information`, x = ln theta,
the likelihood is exp L(x), L convex: the sum over cells of count times a ln sum of exponentials. At
any point a, its tangent lies below it,

    L(x) = L(a) + (x - a)'t_hat + r(x),    r(x) = (x - a)'C (x - a) / 2 + third order >= 0,

t_hat the expected counts and C their covariance over hidden states at a. Without r, the integral
over the prior is one of complete data: it is F, the bound of thesis eq. 2.133 and theorem 2.3, and
the posterior that goes with it is q(theta) = Dirichlet(alpha + t_hat). So the evidence is

    ln p(y given m) = F + ln E_q[exp r(x)],    exactly.

A normal approximation of x under q, mean a and covariance Psi, gives the last term to second order:
ln E_q[exp((x - a)'C (x - a) / 2)] = -(1 / 2) ln det(I - Psi C). Psi C = J is the Jacobian of the
algorithm's map. The terms of higher order may have either sign: both scores are criteria near the
evidence for many cases, as ``laplace`` is, and no bounds. Without hidden causes J = 0, and both are
the closed form.

- ``cs_lr``: a = ln theta_hat, and theta_hat = (alpha + t_hat) / sum is the mode of q in the logits.
  Psi is the covariance of x for the normal density at that mode, the inverse of the complete data's
  information; det(I - J) is the share of this information that the missing states leave (Dempster,
  Laird & Rubin 1977; Louis 1982). Where all states are known it is 1, and the score exact. From the
  other end: it is ``laplace`` with the complete data's integral done exactly.
- ``vb_lr``: the bound is highest where a = E_q[x], the fixed point of VBEM; Psi is the covariance
  of ln theta under q. The factorised q(s) q(theta) knows nothing of how a change of theta moves s
  and is moved in turn: I + J + J^2 + ... = (I - J)^-1 is that linear response (Giordano, Broderick
  & Jordan 2015, NeurIPS 28, have it for covariances), here in the evidence. At a strict maximum of
  the bound the eigenvalues of J lie in [0, 1).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import log, nan, pi

import numpy as np

from latentdag import inference
from latentdag.inference import em
from latentdag.model.structures import Structure
from latentdag.scores import cheeseman_stutz, many_starts, vb
from latentdag.scores import map as at_map
from latentdag.scores.base import Look, Read, Score, Side, Spec, Task

NO_MAXIMUM = "the information at the estimate is not positive definite: it is no strict maximum"


def mode_statistics(
    task: Task, found: "Mapping[str, em.Best]"
) -> "Iterator[tuple[Structure, em.Statistics, float]]":
    """Each structure, the complete-data statistics of its fit, and ln M of the fit's mode, by its
    means (alpha + expected counts) / sum: theta_hat itself for `map`, the mean of q(theta) for
    `vb`.
    """
    for kernel, structures in task.kernels:
        data = em.CompleteData(kernel, kernel.prior_slots(task.prior))
        for item, structure in enumerate(structures):
            statistics = data.statistics(item, found[structure.label].log_weights)
            u = statistics.alpha + statistics.expected
            mean = kernel.expand(item, u / statistics.row_sums(u)[statistics.row])
            reduced = structure.without_childless()
            yield structure, statistics, inference.relabellings.log_copies(reduced, mean)


def corrected(read: Read, correction: "Callable[[em.Statistics], float]") -> Read:
    """Gives the scores of ``read`` plus ``correction`` plus ln M; one without value says why."""

    def read_corrected(task: Task, found: "Mapping[str, em.Best]") -> Iterator[Score]:
        modes = mode_statistics(task, found)
        by_label = {s.label: (correction(statistics), log_m) for s, statistics, log_m in modes}
        for score in read(task, found):
            added, log_m = by_label[score.structure.label]
            value = score.score + added + log_m
            reason = NO_MAXIMUM if np.isnan(value) else ""
            yield replace(score, score=value, reason=reason, log_copies=log_m)

    return read_corrected


def normal_integral(statistics: "em.Statistics") -> float:
    """ln of the integral over the logits of exp(z'H z / 2): (d / 2) ln 2 pi - ln det(-H) / 2."""
    log_determinant = sum(em.information.em_log_determinants(statistics))
    return statistics.n_logits / 2 * log(2 * pi) - log_determinant / 2


def response_of_em(statistics: "em.Statistics") -> float:
    """-(1 / 2) ln det(I - J) for EM, in nats."""
    return -em.information.em_log_determinants(statistics)[1] / 2


def response_of_vbem(statistics: "em.Statistics") -> float:
    """-(1 / 2) ln det(I - J) for variational Bayesian EM, in nats."""
    return -em.information.vbem_log_determinant(statistics) / 2


def read_peak(task: Task, found: "Mapping[str, em.Best]") -> Iterator[Score]:
    """ln p(y given theta_hat) + ln p(theta_hat), in nats."""
    for fit in at_map.read(task, found):
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
    place=15,
)

CS_LR = Spec(
    name="cs_lr",
    label="CS + LR",
    title="Cheeseman-Stutz with linear response",
    definition="`cs` - (1 / 2) ln det(I - J) + ln M, J the Jacobian of the EM map at theta_hat",
    source="ours; Dempster, Laird & Rubin 1977, J. R. Stat. Soc. B 39, 1-38",
    job=cheeseman_stutz.CS.job,
    read=corrected(cheeseman_stutz.read, response_of_em),
    side=Side.CRITERION,
    closed_form=True,
    figures=("rank", "tightness"),
    look=Look("#4a2709", "p", (0, (4, 1, 1, 1)), 4.4),
    place=16,
)

VB_LR = Spec(
    name="vb_lr",
    label="VB + LR",
    title="VB with linear response",
    definition="`vb` - (1 / 2) ln det(I - J) + ln M, J the Jacobian of the VBEM map at its optimum",
    source="ours; Giordano, Broderick & Jordan 2015, NeurIPS 28",
    job=vb.JOB,
    read=corrected(many_starts.objectives, response_of_vbem),
    side=Side.CRITERION,
    closed_form=True,
    place=31,
)
