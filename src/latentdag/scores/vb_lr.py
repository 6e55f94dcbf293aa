"""The variational bound with the second-order term that it leaves out (`latentdag.scores.modes`).

The bound is highest where a = E_q[x], the fixed point of VBEM; Psi is the covariance of ln theta
under q. The factorised q(s) q(theta) knows nothing of how a change of theta moves s and is moved in
turn: I + J + J^2 + ... = (I - J)^-1 is that linear response (Giordano, Broderick & Jordan 2015,
NeurIPS 28, have it for covariances), here in the evidence. At a strict maximum of the bound the
eigenvalues of J lie in [0, 1).
"""

from __future__ import annotations

from latentdag.inference import em
from latentdag.scores import vb
from latentdag.scores.base import Side, Spec
from latentdag.scores.modes import corrected, refuse


def response(statistics: em.Statistics) -> float:
    """-(1 / 2) ln det(I - J) in nats, J the Jacobian of the variational Bayesian EM map at the fit
    that ``statistics`` are of; nan where the fit is no strict maximum.
    """
    return -em.information.vbem_log_determinant(statistics) / 2


VB_LR = Spec(
    name="vb_lr",
    label="VB + LR",
    title="VB with linear response",
    definition="`vb` - (1 / 2) ln det(I - J) + ln M, J the Jacobian of the VBEM map at its optimum",
    source="ours; Giordano, Broderick & Jordan 2015, NeurIPS 28",
    job=vb.JOB,
    read=corrected(vb.VB.read, response),
    side=Side.CRITERION,
    refuse=refuse,
    place=31,
)
