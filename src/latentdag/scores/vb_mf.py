"""The variational Bayesian bound with a factorised q(s): what VB loses by the mean field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from latentdag.fits.mean_field import MeanField, MeanFieldVBEM
from latentdag.fits.restarts import Best, Restarts, search
from latentdag.fits.vbem import VBEM
from latentdag.scores.base import Job, Score, Side, Spec, Task
from latentdag.scores.map import how_it_went, log_weights, restart_settings
from latentdag.structures import Structure


def causes_share_a_child(structure: Structure) -> bool:
    """Whether two hidden variables have a child in common. If not, they are independent given a
    case and theta, and the factorised q(s) is the joint one.
    """
    return any(len(p) > 1 for p in structure.parents)


def run(
    task: Task, settings: Mapping[str, int], estimates: Mapping[str, Mapping[str, np.ndarray]]
) -> dict[str, Best]:
    """The best fit of each structure with a factorised q(s), by label; its log weights (H, F) are
    E[ln theta].

    Restarts begin where those of ``map`` do, with the marginals of p(s given y, theta); one more
    begins at ``map``'s estimate.
    """
    found = {}
    for shared in (False, True):
        own = [s for s in task.structures if causes_share_a_child(s) == shared]
        for kernel, structures in replace(task, structures=own).kernels if own else ():
            alpha = kernel.prior_slots(task.prior)
            rule = Restarts(**settings)
            draw = task.start(kernel, structures)
            at_map = [estimates["map"][s.label] for s in structures]
            if not shared:
                first = [[x] for x in at_map]
                best = search(kernel, VBEM(alpha), draw, rule, first=first, report=task.report)
            else:
                best = _factorised(MeanField(kernel), alpha, draw, at_map, rule, task.report)
            found |= {s.label: fit for s, fit in zip(structures, best, strict=True)}
    return found


def _factorised(
    cells: MeanField,
    alpha: np.ndarray,
    draw: Callable[[int, int], np.ndarray],
    at_map: Sequence[np.ndarray],
    rule: Restarts,
    report: Callable[[float], object] | None,
) -> list[Best]:
    """`search` with a factorised q(s), from log weights (H, F): ``draw(s, r)`` of structure s and
    restart r, and ``at_map[s]``; ``alpha`` has shape (F,).
    """
    best = search(
        cells,
        MeanFieldVBEM(alpha),
        lambda s, r: cells.start(s, draw(s, r)),
        rule,
        first=[[cells.start(s, x)] for s, x in enumerate(at_map)],
        report=report,
        at_once=cells.at_once,
    )
    return [
        replace(fit, log_weights=cells.log_weights(s, fit.log_weights, alpha))
        for s, fit in enumerate(best)
    ]


def read(task: Task, found: Mapping[str, Best]) -> Iterator[Score]:
    """The bound: the objective of the fit."""
    for s in task.structures:
        yield Score(s, float(found[s.label].objective), **how_it_went(found[s.label]))


JOB = Job(
    name="vb_mf",
    run=run,
    meaning="variational Bayesian EM with a factorised q(s)",
    settings=restart_settings("vb_mf", restarts=32, hits=4),
    needs=("map",),
    estimates=log_weights,
)

VB_MF = Spec(
    name="vb_mf",
    label="VB mean field",
    title="VB with a mean field",
    definition="the bound over q(s1) q(s2) q(theta), a q of its own for each hidden variable",
    source="thesis eq. 2.39 to 2.42, within thm 2.1",
    job=JOB,
    read=read,
    side=Side.LOWER_BOUND,
    closed_form=True,
    place=32,
)
