"""Cheeseman-Stutz and the variational bound, each with the second-order term that it leaves out.

Both scores hold the hidden states at some responsibilities and integrate theta out exactly. In the
words of `latentdag.fits.information`, x = ln theta, the likelihood is exp L(x), L convex: the sum
over cells of count times a ln sum of exponentials. At any point a, its tangent lies below it,

    L(x) = L(a) + (x - a)'t_hat + r(x),    r(x) = (x - a)'C (x - a) / 2 + third order >= 0,

t_hat the expected counts and C their covariance over hidden states at a. Without r, the integral
over the prior is one of complete data: it is F, the bound of thesis eq. 2.133 and theorem 2.3, and
the posterior that goes with it is q(theta) = Dirichlet(alpha + t_hat). So the evidence is

    ln p(y given m) = F + ln E_q[exp r(x)],    exactly.

A normal approximation of x under q, mean a and covariance Psi, gives the last term to second order:
ln E_q[exp((x - a)'C (x - a) / 2)] = -(1 / 2) ln det(I - Psi C). Psi C = J is the Jacobian of the
algorithm's map.

- ``vb``: the bound is highest where a = E_q[x], the fixed point of VBEM; Psi is the covariance of
  ln theta under q. The factorised q(s) q(theta) knows nothing of how a change of theta moves s and
  is moved in turn: I + J + J^2 + ... = (I - J)^-1 is that linear response (Giordano, Broderick &
  Jordan 2015, NeurIPS 28, have it for covariances), here in the evidence. At a strict maximum of
  the bound the eigenvalues of J lie in [0, 1).
- ``cs``: a = ln theta_hat, and theta_hat = (alpha + t_hat) / sum is the mode of q in the logits.
  Psi is the covariance of x for the normal density at that mode, the inverse of the complete data's
  information; det(I - J) is the share of this information that the missing states leave (Dempster,
  Laird & Rubin 1977; Louis 1982). Where all states are known it is 1, and the score exact. From the
  other end: it is ``laplace`` with the complete data's integral done exactly.

Each counts one mode; ln M adds its relabelled copies. Neither is a bound any more: the terms of
third and higher order may have either sign. Both are criteria near the evidence for many cases, as
``laplace`` is. Without hidden causes J = 0, and both are the closed form.
"""

from collections.abc import Iterator, Mapping

from latentdag.fits.information import Statistics, em_log_determinants, vbem_log_determinant
from latentdag.fits.restarts import Best
from latentdag.scores import cheeseman_stutz, vb
from latentdag.scores.base import Look, Score, Side, Spec, Task
from latentdag.scores.laplace import corrected


def em_response(statistics: Statistics) -> float:
    """-(1 / 2) ln det(I - J) for EM, in nats."""
    return -em_log_determinants(statistics)[1] / 2


def vbem_response(statistics: Statistics) -> float:
    """-(1 / 2) ln det(I - J) for variational Bayesian EM, in nats."""
    return -vbem_log_determinant(statistics) / 2


def read_cs(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """Cheeseman-Stutz with the response of EM at the MAP estimate."""
    return corrected(task, found, cheeseman_stutz.read(task, found), em_response)


def read_vb(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """The variational bound with the response of VBEM at its fixed point."""
    return corrected(task, found, vb.read(task, found), vbem_response)


CS_LR = Spec(
    name="cs_lr",
    label="CS + LR",
    title="Cheeseman-Stutz with linear response",
    definition="`cs` - (1 / 2) ln det(I - J) + ln M, J the Jacobian of the EM map at theta_hat",
    source="ours; Dempster, Laird & Rubin 1977, J. R. Stat. Soc. B 39, 1-38",
    job=cheeseman_stutz.CS.job,
    read=read_cs,
    side=Side.CRITERION,
    closed_form=True,
    figures=("tightness",),
    look=Look("#5c8c33", "p", (0, (4, 1, 1, 1)), 4.4),
    place=16,
)

VB_LR = Spec(
    name="vb_lr",
    label="VB + LR",
    title="VB with linear response",
    definition="`vb` - (1 / 2) ln det(I - J) + ln M, J the Jacobian of the VBEM map at its optimum",
    source="ours; Giordano, Broderick & Jordan 2015, NeurIPS 28",
    job=vb.JOB,
    read=read_vb,
    side=Side.CRITERION,
    closed_form=True,
    figures=("tightness",),
    look=Look("#2f63b5", "h", (0, (8, 2)), 4.4),
    place=31,
)
