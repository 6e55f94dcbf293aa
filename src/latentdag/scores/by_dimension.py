"""BIC and Cheeseman-Stutz with the effective dimension in place of the number of parameters.

For many cases the evidence of a structure falls by (1/2) ln n for each direction in which its
distributions can vary, at a regular point (Geiger, Heckerman & Meek 1996): by the effective
dimension D, not by the number of parameters. ``bic_dim`` has that penalty.

``cs`` compares the evidence of completed data with their likelihood, which falls by (1/2) ln n for
each parameter of the model in which nothing is hidden, as long as every hidden state keeps its
share of the cases. Chickering & Heckerman (1997) exchange that penalty for the one by D. So their d
is the number of parameters of the model that ``cs`` completes, which has no childless hidden
variables. Were they counted, as in the d of ``bic``, ``cs_dim`` - ``bic_dim`` would grow by (1/2)
ln n for each of their parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log

from latentdag.inference import em
from latentdag.model.dimension import effective_dimension
from latentdag.scores import bic, cheeseman_stutz
from latentdag.scores.base import Score, Side, Spec, Task


def _exchanged(score: Score, n_parameters: int, n: int) -> Score:
    """The score with a penalty of (D / 2) ln n in place of the one by ``n_parameters``, in nats."""
    missing = n_parameters - effective_dimension(score.structure)
    return replace(score, score=score.score + missing / 2 * log(n))


def read_bic(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: ln p(y given theta_hat) - (D / 2) ln n, in
    nats, theta_hat the MAP estimate of ``fits``, by label, D the effective dimension.
    """
    for score in bic.BIC.read(task, fits):
        yield _exchanged(score, task.n_parameters(score.structure), task.n)


def read_cs(task: Task, fits: Mapping[str, em.Best]) -> Iterator[Score]:
    """Yields a `Score` for each structure of ``task``: ``cs`` + (d / 2) ln n - (D / 2) ln n, in
    nats, D its effective dimension, d the number of free parameters without those of childless
    hidden variables. ``fits`` are those of `map`, by label. No bound: D may be less than d.
    """
    for score in cheeseman_stutz.read(task, fits):
        yield _exchanged(score, score.structure.without_childless().n_parameters, task.n)


BIC_DIM = Spec(
    name="bic_dim",
    label="BIC by dimension",
    title="BIC with the effective dimension",
    definition="`map` - (D / 2) ln n, D the effective dimension",
    source="Geiger, Heckerman & Meek 1996, UAI 12, 283-290",
    job=bic.BIC.job,
    read=read_bic,
    side=Side.CRITERION,
    place=13,
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
    job=cheeseman_stutz.CS.job,
    read=read_cs,
    side=Side.CRITERION,
    place=14,
)
