"""E[weight] = p(y given m) exactly, for any schedule: the check that a sampler is right, and its
power against wrong ones.

The weights of thousands of short chains, divided by the exact evidence, must average 1 within 4
standard errors. Over 60 seeds for each setting none of the correct runs failed, and over 10 none of
the wrong kernels below passed; the seed is fixed all the same.
"""

import numpy as np
import pytest

from latentdag import Family, Structure
from latentdag.counts import cell_counts
from latentdag.kernel import Kernel
from latentdag.model import Prior
from latentdag.sampling import ais
from latentdag.scores.exact import log_evidence
from latentdag.streams import generator

CHAINS = 4096
PAPER, SMALL, THREE, UNEQUAL = (
    Family(),
    Family((2,), (2, 2, 2)),
    Family((2, 2, 2), (2, 2, 2)),
    Family((2, 3), (3, 2)),
)
# family, structure, n, prior, steps: long enough for weights without heavy tails, short enough that
# wrong moves show
SETTINGS = [
    (SMALL, "1-1-1", 4, Prior(1.0), 2),
    (SMALL, "1-1-1", 6, Prior(1.0), 16),
    (SMALL, "1-1-1", 4, Prior(0.5), 128),
    (SMALL, "1-0-1", 6, Prior(2.0), 1),  # plain importance sampling from the prior
    (THREE, "12-13-23", 5, Prior(1.0, 0.5), 32),
    (THREE, "1-2-3", 4, Prior(0.5), 128),
    (UNEQUAL, "12-2", 4, Prior(0.7, 1.3), 64),
    (
        UNEQUAL,
        "2-2",
        6,
        Prior(2.0, 0.5),
        33,
    ),  # two blocks of random numbers, the second of a single step
    (PAPER, "1-12-12-2", 4, Prior(2.0, 1.0), 256),
    (PAPER, "0-1-12-1", 3, Prior(1.0), 256),
]


def data(family, n):
    """Repetitive cases, so that the likelihood is far from flat and moves matter."""
    rng = np.random.default_rng(11)
    few = np.column_stack([rng.integers(k, size=3) for k in family.observed])
    return few[rng.integers(3, size=n)]


def z_score(family, label, n, prior, steps, seed=0, chains=CHAINS):
    """(mean weight / exact evidence - 1) in standard errors."""
    s = Structure.from_label(label, family).without_childless()
    cases = data(family, n)
    kernel = Kernel([s], cell_counts(cases, family))
    pilots = [generator(seed, "pilot", c) for c in range(ais.PILOT_CHAINS)]
    (tuning,) = ais.tune(kernel, np.array([0]), prior, [pilots])
    rngs = [generator(seed, "chain", c) for c in range(chains)]
    run = ais.anneal(kernel, np.zeros(chains, dtype=int), prior, [tuning] * chains, steps, rngs)
    ratio = np.exp(run.log_weights - log_evidence(cases, [s], prior)[0])
    return (ratio.mean() - 1) / (ratio.std(ddof=1) / np.sqrt(chains))


@pytest.mark.parametrize(("family", "label", "n", "prior", "steps"), SETTINGS, ids=str)
def test_the_mean_weight_is_the_evidence(family, label, n, prior, steps):
    assert (
        abs(
            z_score(
                family, label, n, prior, steps, chains=CHAINS // 2 if family == PAPER else CHAINS
            )
        )
        < 4
    )


class NoPriorRatio(ais._Walk):
    """Accepts on the likelihood alone."""

    def _evaluate(self, x):
        log_likelihood, log_prior = super()._evaluate(x)
        return log_likelihood, np.zeros_like(log_prior)


class NoJacobian(ais._Walk):
    """The density of g where that of ln g is needed: the prior's exponent is 1 too small."""

    def _evaluate(self, x):
        log_likelihood, log_prior = super()._evaluate(x)
        return log_likelihood, log_prior - self.batch.total(x)


class AcceptsAll(ais._Walk):
    def begin_block(self, temperature, log_step, size):
        super().begin_block(temperature, log_step, size)
        self._thresholds[:] = -np.inf


class WeighsAfterTheMove(ais._Walk):
    """The likelihood ratio is taken at the point after the update instead of before."""

    def step(self, b, temperature):
        before, rise = self.log_weight.copy(), temperature - self._temperature
        accepted = super().step(b, temperature)
        self.log_weight = before + rise * self.log_likelihood
        return accepted


class ColdMoves(ais._Walk):
    """Updates at the full posterior whatever the temperature."""

    def step(self, b, temperature):
        self.log_weight += (temperature - self._temperature) * self.log_likelihood
        weight = self.log_weight.copy()
        self._temperature = np.ones_like(temperature)
        accepted = super().step(b, np.ones_like(temperature))
        self.log_weight, self._temperature = weight, temperature
        return accepted


class ForgetsTies(ais._Walk):
    """Counts the prior of a row once per copy."""

    def _evaluate(self, x):
        log_likelihood, _ = super()._evaluate(x)
        return log_likelihood, (self.alpha * x - np.exp(x)).sum(axis=(1, 2))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # accepting everything overflows
@pytest.mark.parametrize(
    ("wrong", "setting", "chains"),
    [
        (NoPriorRatio, 6, CHAINS),
        (NoJacobian, 2, CHAINS),
        (AcceptsAll, 1, CHAINS),
        (WeighsAfterTheMove, 0, 4 * CHAINS),
        (ColdMoves, 1, CHAINS),
        (ForgetsTies, 5, CHAINS),
    ],
)
def test_a_wrong_kernel_is_rejected(monkeypatch, wrong, setting, chains):
    """By the same check, in one of its settings."""
    monkeypatch.setattr(ais, "_Walk", wrong)
    assert not abs(z_score(*SETTINGS[setting], chains=chains)) < 4
