"""Cheeseman-Stutz with the second-order term that it leaves out (`latentdag.scores.modes`).

The point is a = ln theta_hat, and theta_hat = (alpha + t_hat) / sum is the mode of q in the logits.
Psi is the covariance of x for the normal density at that mode, the inverse of the complete data's
information; det(I - J) is the share of this information that the missing states leave (Dempster,
Laird & Rubin 1977; Louis 1982). Where all states are known it is 1, and the score exact. From the
other end: it is ``laplace`` with the complete data's integral done exactly.
"""

from __future__ import annotations

from latentdag.inference import em
from latentdag.scores import cheeseman_stutz
from latentdag.scores.base import Look, Side, Spec
from latentdag.scores.modes import corrected, refuse


def response(statistics: em.Statistics) -> float:
    """-(1 / 2) ln det(I - J) in nats, J the Jacobian of the EM map at the fit that ``statistics``
    are of; nan where the fit is no strict maximum.
    """
    return -em.information.em_log_determinants(statistics)[1] / 2


CS_LR = Spec(
    name="cs_lr",
    label="CS + LR",
    title="Cheeseman-Stutz with linear response",
    definition="`cs` - (1 / 2) ln det(I - J) + ln M, J the Jacobian of the EM map at theta_hat",
    source="ours; Dempster, Laird & Rubin 1977, J. R. Stat. Soc. B 39, 1-38",
    job=cheeseman_stutz.CS.job,
    read=corrected(cheeseman_stutz.read, response),
    side=Side.CRITERION,
    figures=("rank", "tightness"),
    look=Look("#4a2709", "p", (0, (4, 1, 1, 1)), 4.4),
    refuse=refuse,
    place=16,
)
