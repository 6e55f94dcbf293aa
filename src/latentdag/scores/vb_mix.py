"""The bound of a mixture: all optima of collapsed variational Bayes, and their relabelled copies.

Sec. 2.3.2 of Beal's thesis proposes mixtures of variational posteriors and leaves them, as their
entropy has no closed form. `latentdag.inference.collapsed.mixture` has the lower bound on it.
"""

from collections.abc import Iterator

from latentdag.inference import collapsed
from latentdag.scores import vb_collapsed
from latentdag.scores.base import Look, Score, Side, Spec, Task


def read(task: Task, optima_by_label: vb_collapsed.OptimaByLabel) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: the bound of the mixture of its optima and
    their relabelled copies, in nats, at the best weights of the components. ``optima_by_label`` is
    what the ``run`` of `vb_collapsed` gives.
    """
    for s in task.structures:
        optima, overlap, n_images = optima_by_label[s.label]
        weights = collapsed.mixture.best_weights(optima.bounds, overlap, n_images)
        value = collapsed.mixture.value(weights, optima.bounds, overlap, n_images)
        yield Score.of_fit(s, value, optima)


VB_MIX = Spec(
    name="vb_mix",
    label="VB mixture",
    title="Mixture of VB optima",
    definition=(
        "the bound of a mixture of the optima of `vb_collapsed` and their relabelled copies "
        f"(of more than {collapsed.mixture.MOST_RELABELLINGS}, rotations of the states alone), "
        "maximised over their weights"
    ),
    source="ours; thesis sec. 2.3.2; Kolchinsky & Tracey 2017, Entropy 19, 361",
    job=vb_collapsed.JOB,
    read=read,
    side=Side.LOWER_BOUND,
    figures=("rank", "tightness"),
    look=Look("#c8338f", "*", (0, (10, 1.5, 3, 1.5)), 5.6),
    place=37,
)
