"""The Bayesian information criterion, at the MAP and at the maximum likelihood estimate; and with
the effective dimension D in place of the number of parameters: for many cases the evidence of a
structure falls by (1/2) ln n for each direction in which its distributions can vary, at a regular
point (Geiger, Heckerman & Meek 1996).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log, nan

from latentdag.model.dimension import effective_dimension
from latentdag.scores import many_starts
from latentdag.scores import map as at_map
from latentdag.scores.base import Look, Read, Score, Side, Spec, Task


def bic(log_likelihood: float, n_parameters: int, n: int) -> float:
    """ln p(y given theta_hat) - (d / 2) ln n, in nats."""
    return log_likelihood - n_parameters / 2 * log(n)


def penalised(read: Read) -> Read:
    """Gives the scores of fits that ``read`` gives, less the penalty for their parameters."""

    def read_penalised(task: Task, found: Mapping) -> Iterator[Score]:
        for fit in read(task, found):
            value = bic(fit.score, task.n_parameters(fit.structure), task.n)
            yield replace(fit, score=value, near_boundary=nan, log_prior=nan)

    return read_penalised


def by_dimension(score: Score, n_parameters: int, n: int) -> Score:
    """The score with a penalty of (D / 2) ln n in place of the one by ``n_parameters``, in nats."""
    missing = n_parameters - effective_dimension(score.structure)
    return replace(score, score=score.score + missing / 2 * log(n))


def read_by_dimension(task: Task, found: Mapping) -> Iterator[Score]:
    """ln p(y given theta_hat) - (D / 2) ln n, in nats."""
    for score in BIC.read(task, found):
        yield by_dimension(score, task.n_parameters(score.structure), task.n)


BIC = Spec(
    name="bic",
    label="BIC",
    title="BIC",
    definition="`map` - (d / 2) ln n, d the number of free parameters",
    source="Schwarz 1978, Ann. Stat. 6, 461-464",
    job=at_map.JOB,
    read=penalised(at_map.read),
    side=Side.CRITERION,
    figures=("scores", "rank", "tightness", "annealing"),
    look=Look("#e87c5c", "v", (0, (5, 1.5, 1, 1.5)), 4.8),
    place=11,
)

BIC_ML = Spec(
    name="bic_ml",
    label="BIC at ML",
    title="BIC at the maximum likelihood",
    definition="`ml` - (d / 2) ln n, d the number of free parameters",
    source="Schwarz 1978, Ann. Stat. 6, 461-464",
    job=at_map.ML_JOB,
    read=penalised(many_starts.objectives),
    side=Side.CRITERION,
    place=21,
)

BIC_DIM = Spec(
    name="bic_dim",
    label="BIC by dimension",
    title="BIC with the effective dimension",
    definition="`map` - (D / 2) ln n, D the effective dimension",
    source="Geiger, Heckerman & Meek 1996, UAI 12, 283-290",
    job=at_map.JOB,
    read=read_by_dimension,
    side=Side.CRITERION,
    place=13,
)
