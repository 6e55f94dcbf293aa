"""The Cheeseman-Stutz approximation, a lower bound on the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from latentdag.inference import em
from latentdag.scores import map as at_map
from latentdag.scores.base import Look, Score, Side, Spec, Task


def read(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: Cheeseman-Stutz, in nats, at theta_hat, the
    MAP estimate of ``fits``, by label. It is the variational bound at q(s) = p(s given y,
    theta_hat) (thesis, thm 2.3). So it is never above ``vb`` where that starts once from there
    (thesis cor. 2.5).
    """
    for batch, weights, structures in task.batches(fits):
        values = em.vbem.bound(batch, weights, batch.kernel.prior_slots(task.prior))[0]
        for s, value in zip(structures, values, strict=True):
            yield Score.of_fit(s, value, fits[s.label])


CS = Spec(
    name="cs",
    label="CS",
    title="Cheeseman-Stutz",
    definition=(
        "ln p(s_hat, y) + ln p(y given theta_hat) - ln p(s_hat, y given theta_hat), s_hat the "
        "expected hidden states at theta_hat, the estimate of `map`"
    ),
    source="thesis eq. 2.133",
    job=at_map.JOB,
    read=read,
    side=Side.LOWER_BOUND,
    figures=("tightness",),
    look=Look("#5f8f3a", "D", (0, (3, 1.2)), 3.4),
    place=12,
)
