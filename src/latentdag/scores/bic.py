"""The Bayesian information criterion, at the MAP and at the maximum likelihood estimate."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import log, nan

from latentdag.scores import map as at_map
from latentdag.scores import ml as at_ml
from latentdag.scores.base import Look, Read, Score, Side, Spec, Task


def penalised(read: Read) -> Read:
    """A function of a task and its findings, as ``read`` is. It yields the scores that ``read``
    gives, less (d / 2) ln n, in nats, d the number of free parameters, n the number of cases.
    """

    def read_penalised(task: Task, findings: Mapping) -> Iterator[Score]:
        for fit in read(task, findings):
            value = fit.score - task.n_parameters(fit.structure) / 2 * log(task.n)
            yield replace(fit, score=value, near_boundary=nan, log_prior=nan)

    return read_penalised


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
    job=at_ml.JOB,
    read=penalised(at_ml.ML.read),
    side=Side.CRITERION,
    place=21,
)
