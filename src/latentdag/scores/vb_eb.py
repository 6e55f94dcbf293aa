"""The variational Bayesian bound maximised over the prior as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import nan

from latentdag.inference import em
from latentdag.scores import many_starts
from latentdag.scores.base import Estimates, Job, Score, Settings, Side, Spec, Task


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, em.Best]:
    """The best fit, a `Best`, of each structure of ``task``, by label; its log weights (H, F + 2)
    end with ln alpha and ln alpha_hidden. ``settings`` are by name, ``estimates`` has those of
    ``vb``.

    Every fit begins at the prior given. One begins at each of the distinct optima that ``vb``
    found, so that the score is never below, and one where all cases are in one hidden state, which
    random starts often miss: nearly always one of these is best. Restarts begin where ``map``'s do.
    """
    first = {}
    for kernel, structures in task.kernels:
        ones = em.empirical_bayes.one_state_weights(kernel, task.prior)
        pairs = zip(structures, ones, strict=True)
        first |= {s.label: [*estimates["vb"][s.label], one] for s, one in pairs}
    how = {"first": first, "adapt": partial(em.empirical_bayes.with_prior, prior=task.prior)}
    return many_starts.best_fits(task, settings, lambda alpha: em.EmpiricalBayes(), **how)


def read(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: F of its fit in ``fits``, by label, at its
    maximum, in nats, with the estimates of alpha and alpha_hidden: at a limit of the range, 0.01 or
    1e12, F rises beyond; without links alpha_hidden is nan.
    """
    for s in task.structures:
        fit = fits[s.label]
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
