"""The variational Bayesian bound of one pass over the cases, batch by batch."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import psi

from latentdag.counts import cell_counts
from latentdag.fits.fixed_point import maximise
from latentdag.fits.restarts import SAME_OPTIMUM
from latentdag.fits.vbem import VBEM, bound
from latentdag.kernel import Kernel, by_hidden_family
from latentdag.scores.base import Job, Score, Setting, Side, Spec, Task
from latentdag.scores.map import restart_settings


@dataclass(frozen=True)
class Passes:
    """The passes over the cases of one structure, one entry each: the sum of the bounds in nats,
    the steps of all batches, and whether all have converged.
    """

    objective: np.ndarray
    iterations: np.ndarray
    converged: np.ndarray


def one_pass(
    kernels: Sequence[Kernel], prior: np.ndarray, log_weights: np.ndarray, max_iterations: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The bounds of all structures summed over the batches of cases, in nats, the steps taken and
    whether all have converged, (S,) each.

    ``kernels`` hold the counts of one batch each, for the same S structures. Each batch begins at
    q(theta) as the one before left it, which is also its prior (thesis eq. 2.114 to 2.117); the
    first at ``log_weights`` (S, H, F), with the Dirichlet parameters ``prior`` (F,).
    """
    items = np.arange(len(log_weights))
    u = np.broadcast_to(prior, log_weights.shape)
    total, iterations = np.zeros(len(items)), np.zeros(len(items), dtype=int)
    converged = np.ones(len(items), dtype=bool)
    for kernel in kernels:
        fits = maximise(kernel, VBEM(u), items, log_weights, max_iterations)
        iterations += fits.iterations
        converged &= fits.converged
        before, u, log_weights = u, np.empty_like(log_weights), np.empty_like(log_weights)
        for part in kernel.slices(len(items)):
            batch = kernel.batch(items[part])
            value, u[part], sums = bound(batch, fits.log_weights[part], before[part])
            total[part] += value
            log_weights[part] = psi(u[part]) - batch.spread(psi(sums))
    return total, iterations, converged


def run(task: Task, settings: Mapping[str, int], estimates: Mapping) -> dict[str, Passes]:
    """All passes of each structure, by label: each from one of the random starts of ``vb``."""
    family = task.structures[0].family
    ends = range(settings["batch"], task.n + settings["batch"], settings["batch"])
    batches = [task.cases[end - settings["batch"] : end] for end in ends]
    counts = [cell_counts(batch, family) for batch in batches]
    found = {}
    for whole, structures in task.kernels:
        ((_, reduced),) = by_hidden_family(structures)
        kernels = [Kernel(reduced, table) for table in counts]
        start, prior = task.start(whole, structures), whole.prior_slots(task.prior)
        passes = []
        for r in range(settings["restarts"]):
            first = np.array([start(s, r) for s in range(len(structures))])
            passes.append(one_pass(kernels, prior, first, settings["max_iterations"]))
            if task.report:
                task.report(len(structures) / settings["restarts"])
        objective, iterations, converged = (np.array(x).T for x in zip(*passes, strict=True))
        for i, s in enumerate(structures):
            found[s.label] = Passes(objective[i], iterations[i], converged[i])
    return found


def read(task: Task, found: Mapping[str, Passes]) -> Iterator[Score]:
    """The best pass: the largest sum over batches of the bound F.

    The sum is the ordinary bound at the product of the batches' q(s), each batch's being fixed
    before the next is seen. So it is a lower bound of the evidence.
    """
    for s in task.structures:
        passes = found[s.label]
        best = int(np.argmax(passes.objective))
        yield Score(
            s,
            float(passes.objective[best]),
            iterations=int(passes.iterations[best]),
            converged=bool(passes.converged[best]),
            restarts=len(passes.objective),
            restarts_at_best=int(np.sum(passes.objective >= passes.objective[best] - SAME_OPTIMUM)),
        )


MAX_ITERATIONS = next(s for s in restart_settings("vb", 1, 1) if s.name == "max_iterations")

JOB = Job(
    name="vb_online",
    run=run,
    meaning="online variational Bayesian EM",
    settings=(
        Setting(
            name="batch",
            key="vb_online.batch",
            default=256,
            meaning=(
                "cases of a batch, in the order of the data; a file of one's own is put in a "
                "random order, the same in every run"
            ),
            source="left open by the thesis",
        ),
        Setting(
            name="restarts",
            key="vb_online.passes",
            default=8,
            meaning="passes over the cases, from different starts",
            source="left open by the thesis",
        ),
        MAX_ITERATIONS,
    ),
)

VB_ONLINE = Spec(
    name="vb_online",
    label="VB online",
    title="online VB",
    definition=(
        "one pass over the cases in their order, in batches: the sum of their bounds F, each with "
        "the posterior so far as prior; the best of several passes"
    ),
    source="thesis eq. 2.114 to 2.117",
    job=JOB,
    read=read,
    side=Side.LOWER_BOUND,
    order_free=False,
    closed_form=True,
    place=34,
)
