"""The widely applicable Bayesian information criterion, read off the chains of annealed importance
sampling.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from latentdag.scores import ais as chains_of_ais
from latentdag.scores.base import Score, Side, Spec, Task

if TYPE_CHECKING:
    from latentdag.inference.ais import annealing as ais

FEW_CASES = "fewer than 3 cases: 1 / ln n is no temperature from 0 to 1"
NO_STEP = "no temperature of the chains lies near 1 / ln n"


def read(task: Task, found: Mapping[str, Mapping[int, ais.Chains]]) -> Iterator[Score]:
    """The mean of ln p(y given theta) in nats over the steps of all chains near tau = 1 / ln n,
    with its error over the chains; nan for one chain.

    Chains count alike. They lag behind the temperature: at n = 80 and 480, with 16384 steps, the
    mean is up to 2 nats too low. Importance weights take away half of that or more, but make the
    error of 4 chains half as large again, 3.5 nats to 5.
    """
    too_few = chains_of_ais.wbic_temperature(task.n) is None
    for s in task.structures:
        chains = found[s.label][task.n]
        values = chains.watched
        n_chains = len(values)
        error = float(np.std(values, ddof=1) / sqrt(n_chains)) if n_chains > 1 else nan
        mean = float(values.mean())
        reason = FEW_CASES if too_few else NO_STEP if np.isnan(mean) else ""
        yield Score(s, mean, error, iterations=chains.steps, restarts=n_chains, reason=reason)


WBIC = Spec(
    name="wbic",
    label="WBIC",
    title="WBIC",
    definition=(
        "the mean of ln p(y given theta) under p(theta) p(y given theta)^tau at tau = 1 / ln n: "
        "over the steps of the AIS chains whose inverse temperature is within 10 % of tau"
    ),
    source="Watanabe 2013, J. Mach. Learn. Res. 14, 867-897",
    job=chains_of_ais.JOB,
    read=read,
    side=Side.CRITERION,
    monte_carlo=True,
    place=41,
)
