"""The Cheeseman-Stutz approximation, a lower bound on the evidence; and with the effective
dimension in place of the number of parameters.

``cs`` compares the evidence of completed data with their likelihood, which falls by (1/2) ln n for
each parameter of the model in which nothing is hidden, as long as every hidden state keeps its
share of the cases. Chickering & Heckerman (1997) exchange that penalty for the one by D. So their d
is the number of parameters of the model that ``cs`` completes, which has no childless hidden
variables. Were they counted, as in the d of ``bic``, ``cs_dim`` - ``bic_dim`` would grow by (1/2)
ln n for each of their parameters.
"""

from collections.abc import Iterator, Mapping

from latentdag.inference import em
from latentdag.scores import bic
from latentdag.scores import map as at_map
from latentdag.scores.base import Look, Score, Side, Spec, Task


def read(task: Task, found: "Mapping[str, em.Best]") -> Iterator[Score]:
    """The variational bound at q(s) = p(s given y, theta_hat): the same number (thesis, thm 2.3).
    So it is never above ``vb``, which starts once from there (thesis cor. 2.5).
    """
    for batch, weights, structures in task.batches(found):
        values = em.vbem.bound(batch, weights, batch.kernel.prior_slots(task.prior))[0]
        for s, value in zip(structures, values, strict=True):
            yield Score.of_fit(s, value, found[s.label])


def read_by_dimension(task: Task, found: "Mapping[str, em.Best]") -> Iterator[Score]:
    """``cs`` + (d / 2) ln n - (D / 2) ln n, in nats. No bound: D may be less than d."""
    for score in read(task, found):
        yield bic.by_dimension(score, score.structure.without_childless().n_parameters, task.n)


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
    closed_form=True,
    figures=("tightness",),
    look=Look("#5f8f3a", "D", (0, (3, 1.2)), 3.4),
    place=12,
)

CS_DIM = Spec(
    name="cs_dim",
    label="CS by dimension",
    title="Cheeseman-Stutz with the effective dimension",
    definition=(
        "`cs` + (d' / 2) ln n - (D / 2) ln n, d' the free parameters without those of childless "
        "hidden variables, D the effective dimension"
    ),
    source="Chickering & Heckerman 1997, Machine Learning 29, 181-212",
    job=at_map.JOB,
    read=read_by_dimension,
    side=Side.CRITERION,
    closed_form=True,
    place=14,
)
