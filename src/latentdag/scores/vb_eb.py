"""The variational Bayesian bound maximised over the prior as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan

import numpy as np

from latentdag.inference import em
from latentdag.scores import many_starts
from latentdag.scores.base import Estimates, Job, Score, Settings, Side, Spec, Task


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, em.Best]:
    """The best fit of each structure, by label; its log weights (H, F + 2) end with ln alpha and
    ln alpha_hidden.

    Every fit begins at the prior given. One begins at each of the distinct optima that ``vb``
    found, so that the score is never below, and one where all cases are in one hidden state, which
    random starts often miss: the best fit is nearly always one of these. Restarts begin where
    those of ``map`` do.
    """
    found, rule, how = {}, many_starts.restarts_of(settings), {"report": task.report}
    for kernel, structures in task.kernels:
        start = task.start(kernel, structures)

        def begin(s: int, r: int, start=start) -> np.ndarray:
            return em.empirical_bayes.with_prior(start(s, r), task.prior)

        ones = em.empirical_bayes.one_state_weights(kernel, task.prior)
        first = [
            [em.empirical_bayes.with_prior(x, task.prior) for x in (*estimates["vb"][s.label], one)]
            for s, one in zip(structures, ones, strict=True)
        ]
        best = em.restarts.search(kernel, em.EmpiricalBayes(), begin, rule, first=first, **how)
        found |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return found


def read(task: Task, found: Mapping[str, em.Best]) -> Iterator[Score]:
    """F at its maximum, with the estimates of alpha and alpha_hidden.

    An estimate at a limit of the prior's range, 0.01 or 1e12, means that F rises beyond. A
    structure without links has no alpha_hidden: nan.
    """
    for s in task.structures:
        fit = found[s.label]
        alpha, hidden = em.empirical_bayes.estimates_of_prior(fit.log_weights)
        prior = {"alpha": alpha, "alpha_hidden": hidden if s.n_links else nan}
        yield Score.of_fit(s, fit.objective, fit, **prior)


JOB = Job(
    name="vb_eb",
    run=run,
    meaning="variational Bayesian EM, prior estimated",
    settings=many_starts.restart_settings("vb_eb", restarts=8, hits=8),
    needs=("vb",),
)

VB_EB = Spec(
    name="vb_eb",
    label="VB emp. Bayes",
    title="VB with empirical Bayes",
    definition=(
        "the bound F maximised over alpha and alpha_hidden as well, one pair per structure: it "
        "bounds the largest evidence under any such prior, not the evidence under the prior given"
    ),
    source="thesis eq. 2.79, figure 2.5",
    job=JOB,
    read=read,
    side=Side.CRITERION,
    place=33,
)
