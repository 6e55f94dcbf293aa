"""The collapsed variational bound: theta is integrated out exactly, and q(s) alone is free."""

from collections.abc import Iterator, Mapping

import numpy as np

from latentdag.inference import collapsed
from latentdag.scores import base
from latentdag.scores.base import Estimates, Job, Score, Settings, Side, Spec, Task
from latentdag.scores.many_starts import MAX_ITERATIONS

MOST_VALUES = 2**23  # 128 bytes each
OptimaByLabel = Mapping[str, tuple["collapsed.Optima", np.ndarray, int]]  # by label


def run(task: Task, settings: Settings, estimates: Estimates) -> OptimaByLabel:
    """By label of each structure of ``task`` a tuple: the `Optima` of collapsed variational Bayes,
    from the distinct optima of ``vb`` and ``map`` in ``estimates``; how much they overlap, S (K, K)
    of `latentdag.inference.collapsed.mixture`; and the number of relabelled copies of each that
    count, itself among them. ``settings`` are by name.

    On draw 0, 24 further random starts raise the means over all structures of this bound and of the
    mixture's by less than 0.01 nats, at each of six sizes from 10 to 10240.
    """
    optima_by_label = {}
    for kernel, structures in task.kernels:
        starts = [np.concatenate([estimates[m][s.label] for m in JOB.needs]) for s in structures]
        alpha, limit = kernel.prior_slots(task.prior), settings["max_iterations"]
        optima = collapsed.ascent.search(kernel, alpha, starts, limit, task.report)
        for s, best in zip(structures, optima, strict=True):
            group = collapsed.mixture.images(s.without_childless())
            overlap = collapsed.mixture.overlaps(best.q, kernel.counts, group)
            optima_by_label[s.label] = best, overlap, len(group)
    return optima_by_label


def read(task: Task, optima_by_label: OptimaByLabel) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: its collapsed variational bound at its best
    optimum, in nats. ``optima_by_label`` is what `run` gives.
    """
    for s in task.structures:
        optima, *_ = optima_by_label[s.label]
        yield Score.of_fit(s, optima.bounds[0], optima)


def refuse(task: Task) -> None:
    """Raise ValueError where the values of the different cases of ``task``, times the joint hidden
    states, are more than MOST_VALUES: then the responsibilities take more than 1 GB.
    """
    family = task.structures[0].family
    states = max(s.without_childless().family.n_states for s in task.structures)
    cells = len(task.counts.patterns)
    if cells * states * len(family.observed) > MOST_VALUES:
        raise ValueError(
            f"vb_collapsed and vb_mix are done for at most {MOST_VALUES:,} values of different "
            f"cases times joint states; there are {cells:,} cases of {len(family.observed):,} "
            f"values in {states} states: {base.FOR_MANY_VARIABLES}"
        )


JOB = Job(
    name="vb_collapsed",
    run=run,
    meaning="collapsed variational Bayes",
    settings=(MAX_ITERATIONS,),
    refuse=refuse,
    needs=("map", "vb"),
)

VB_COLLAPSED = Spec(
    name="vb_collapsed",
    label="VB collapsed",
    title="Collapsed VB",
    definition="E_q[ln p(s, y)] + entropy of q(s), maximised over q(s), theta integrated out",
    source="Teh, Newman & Welling 2007, NIPS 19; exact expectations ours",
    job=JOB,
    read=read,
    side=Side.LOWER_BOUND,
    place=36,
)
