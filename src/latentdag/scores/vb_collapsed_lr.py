"""The collapsed variational bound with the second-order term that it leaves out, summed over its
optima.

E_q[ln p(s, y)] takes the mean over the counts, which have the covariance C under q. With Psi the
second derivatives of ln p(s, y) in the counts at their means, J = Psi C, the mean holds tr J / 2 of
the response -(1 / 2) ln det(I - J) already (`latentdag.scores.vb_lr`): the rest is the sum over the
eigenvalues x of J of

    -(1 / 2) (ln(1 - x) + x) >= 0.

At a maximum of L an eigenvalue may be 1 or more, mostly where a state is nearly empty. There the
normal approximation of the counts has no integral, while terms of fourth order keep the true one
finite. In the simplest case, n coupled variables with two states (the Curie-Weiss model), the
response at x = 1 is ln(1.35 n^(1/4)). That is (1 / 2) ln(1 / (1 - x)) at 1 - x = 0.55 / sqrt(n). So
an eigenvalue counts as 1 - 1 / sqrt(n) at most.

Each optimum and each of its relabelled copies stands for its part of the evidence. There are G
copies. They are divided by the number of components that lie on each, which is the sum over the
components of S_kl (`latentdag.inference.collapsed.mixture`). The score is no bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log, sqrt
from typing import TYPE_CHECKING

import lazy_loader as lazy
import numpy as np

from latentdag.scores import vb_collapsed
from latentdag.scores.base import Score, Side, Spec, Task

if TYPE_CHECKING:
    from latentdag.inference.em.information import Statistics

information = lazy.load("latentdag.inference.em.information", suppress_warning=True)


def response(statistics: Statistics, n: int) -> float:
    """The sum over the eigenvalues of J, in nats, for ``n`` cases."""
    x = np.clip(information.vbem_eigenvalues(statistics), 0, 1 - 1 / sqrt(n))
    return -float(np.sum(np.log1p(-x) + x)) / 2


def read(task: Task, found: Mapping[str, vb_collapsed.Modes]) -> Iterator[Score]:
    """ln of the sum over the optima and their copies."""
    for kernel, structures in task.kernels:
        data = information.CompleteData(kernel, kernel.prior_slots(task.prior))
        for item, s in enumerate(structures):
            modes = found[s.label]
            optima = modes.optima
            added = [response(data.statistics(item, q=q), task.n) for q in optima.q]
            copies = log(modes.n_images) - np.log(modes.overlap.sum(axis=1))
            value = np.logaddexp.reduce(optima.bounds + added + copies)
            yield Score(s, float(value), **vb_collapsed.course(optima))


VB_COLLAPSED_LR = Spec(
    name="vb_collapsed_lr",
    label="VB collapsed + LR",
    title="Collapsed VB with linear response",
    definition=(
        "ln of the sum over the optima of `vb_collapsed`, and their copies, of exp(L - (1 / 2) "
        "(ln det(I - J) + tr J)), J the Jacobian of its update"
    ),
    source="ours",
    job=vb_collapsed.JOB,
    read=read,
    side=Side.CRITERION,
    closed_form=True,
    place=38,
)
