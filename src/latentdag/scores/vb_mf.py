"""The variational Bayesian bound with a factorised q(s): what VB loses by the mean field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from latentdag.inference import em
from latentdag.model.structures import Structure
from latentdag.scores.base import Estimates, Job, Score, Settings, Side, Spec, Task
from latentdag.scores.many_starts import MAX_ITERATIONS

HELD = 2**22  # numbers in all fits that are held at once: 32 MB


def causes_share_a_child(structure: Structure) -> bool:
    """Whether two causes of ``structure`` share a child; else the joint q(s) factorises anyway."""
    return any(len(p) > 1 for p in structure.parents)


def run(task: Task, settings: Settings, estimates: Estimates) -> dict[str, em.Fits]:
    """The best fit of each structure of ``task`` with a factorised q(s), by label, a row of `Fits`.
    Where causes share a child, a fit begins at each optimum of ``vb``, in ``estimates``, at q(s)'s
    marginals: better than at random, in a third of the steps; else one begins at the best optimum.
    ``settings`` has ``max_iterations``.
    """
    fits = {}
    for shared in (False, True):
        of_kind = [s for s in task.structures if causes_share_a_child(s) == shared]
        for kernel, structures in replace(task, structures=of_kind).kernels if of_kind else ():
            alpha = kernel.prior_slots(task.prior)
            optima = [estimates["vb"][s.label] for s in structures]
            algorithm, starts = em.VBEM(alpha), (x[:1] for x in optima)
            at_once = em.fixed_point.FITS_HELD
            if shared:
                algorithm = em.MeanFieldVBEM(alpha)
                starts = (em.mean_field.starts(kernel, weights) for weights in optima)
                at_once = max(1, HELD // (sum(kernel.family.hidden) * len(kernel.counts)))
            limit = settings["max_iterations"]
            best = em.fixed_point.best_of(kernel, algorithm, starts, limit, task.report, at_once)
            fits |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return fits


def read(task: Task, fits: Mapping[str, em.Fits]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: its bound with a factorised q(s), in nats,
    the objective of its fit in ``fits``, by label.
    """
    for s in task.structures:
        fit = fits[s.label]
        yield Score(
            s,
            fit.objective.item(),
            iterations=fit.iterations.item(),
            converged=fit.converged.item(),
        )


JOB = Job(
    name="vb_mf",
    run=run,
    meaning="variational Bayesian EM, q(s) factorised",
    settings=(MAX_ITERATIONS,),
    needs=("vb",),
)

VB_MF = Spec(
    name="vb_mf",
    label="VB mean field",
    title="VB with a mean field",
    definition="the bound over q(s1) q(s2) q(theta), a separate q for each hidden variable",
    source="thesis eq. 2.39 to 2.42, within thm 2.1",
    job=JOB,
    read=read,
    side=Side.LOWER_BOUND,
    place=32,
)
