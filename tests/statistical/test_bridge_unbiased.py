"""The mean of the bridge's estimates is the evidence, for any start and any number of particles:
against the exact evidence, and against wrong kernels, which must be rejected.

The mean over some hundred estimates from few particles, divided by the exact evidence, must be 1
within 4 standard errors. Over 8 seeds for each of seven settings the farthest was 2.9, the root
mean square 1.03; the wrong kernels were tried at three. The seed is fixed all the same.
"""

import numpy as np
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.streams import generator
from latentdag.inference.bridge import estimates as bridge_estimates
from latentdag.inference.bridge import loops
from latentdag.inference.bridge import run as running
from latentdag.inference.bridge.model import BridgeModel
from latentdag.inference.bridge.start import Start
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores.exact import log_evidence

pytestmark = pytest.mark.slow

RUNS, PARTICLES = 192, 32
PAPER, SMALL, THREE, UNEQUAL = (
    Family(),
    Family((2,), (2, 2, 2)),
    Family((2, 2, 2), (2, 2, 2)),
    Family((2, 3), (3, 2)),
)
SETTINGS = [
    (SMALL, "1-1-1", 8, Prior(1.0)),
    (SMALL, "1-1-1", 12, Prior(0.5)),
    (SMALL, "1-0-1", 9, Prior(2.0)),
    (THREE, "12-13-23", 6, Prior(1.0, 0.5)),
    (THREE, "1-2-3", 5, Prior(0.5)),
    (UNEQUAL, "12-2", 5, Prior(0.7, 1.3)),
    (UNEQUAL, "2-2", 7, Prior(2.0, 0.5)),
    (PAPER, "1-12-12-2", 10, Prior(2.0, 1.0)),
    (PAPER, "12-12-12-12", 8, Prior(0.3)),
    (PAPER, "0-1-12-1", 9, Prior(1.0)),
]


def data(family, n):
    """Repetitive cases, so that the likelihood is far from flat and moves matter."""
    rng = np.random.default_rng(11)
    few = np.column_stack([rng.integers(k, size=3) for k in family.observed])
    return few[rng.integers(3, size=n)]


def z_score(family, label, n, prior, seed=0, runs=RUNS, particles=PARTICLES):
    """(mean estimate / exact evidence - 1) in standard errors."""
    s = Structure.from_label(label, family).without_childless()
    cases = data(family, n)
    model = BridgeModel(Kernel([s], cell_counts(cases, family)), 0, s, prior)
    estimates = bridge_estimates.log_estimates(
        model, particles, runs, lambda *which: generator(seed, "bridge", *which)
    )
    ratio = np.exp(estimates - log_evidence(cases, [s], prior)[0])
    return (ratio.mean() - 1) / (ratio.std(ddof=1) / np.sqrt(runs))


WEEKLY = (0, 2, 4, 6, 8, 9)
EACH = [
    pytest.param(*own, marks=[pytest.mark.weekly] * (k in WEEKLY)) for k, own in enumerate(SETTINGS)
]


@pytest.mark.parametrize(("family", "label", "n", "prior"), EACH, ids=str)
def test_the_mean_estimate_is_the_evidence(family, label, n, prior):
    assert abs(z_score(family, label, n, prior)) < 4


class AcceptsAll(running.TemperedParticles):
    def accepted(self, log_ratio):
        return np.isfinite(log_ratio)


class ForgetsTheMean(running.TemperedParticles):
    """Starts again from weight 1 after resampling."""

    def resample(self):
        before = self.log_weight
        super().resample()
        if self.log_weight is not before:
            self.log_weight = np.zeros_like(before)


def draws_evenly(weight, n, rng):
    """Resamples without regard to the weights."""
    return rng.integers(n, size=n)


class WeighsAfterTheMove(running.TemperedParticles):
    """A change of temperature is weighed at the point after the move instead of before."""

    def weigh(self, temperature):
        self.rise, self.temperature = temperature - self.temperature, temperature

    def move(self, step):
        acceptance = super().move(step)
        change = self.rise * (self.log_likelihood - self.log_start)
        self.log_weight = self.log_weight + change
        return acceptance


def drift(target, bridge, x, momenta, steps, n_steps, values):
    """A step straight ahead, without gradient or Metropolis' rule."""
    x += 0.3 * momenta / bridge.mass[:, None]
    totals = np.add.reduceat(np.exp(x), target.rows[:-1], axis=1)
    x -= np.log(np.repeat(totals, np.diff(target.rows), axis=1))
    values[0] = 0
    loops.evaluate(target, x, values[1:])


def no_jacobian(self):
    """The density of g where that of ln g is needed: the prior's exponent is 1 too small."""
    return TARGET(self)._replace(alpha=self.model.alpha - 1)


def no_normaliser(self, counts):
    return np.full(len(counts), -np.log(len(counts)))


def unequal_parts(self, counts):
    """One component counts twice in the density, and once among the draws."""
    value = LOG_SCALE(self, counts)
    value[0] += np.log(2)
    return value


def sum_over_labellings(self, log_theta):
    """Not the mean."""
    return LOG_MEAN(self, log_theta) + np.log(self.model.n_relabellings())


TARGET, LOG_SCALE, LOG_MEAN = Start.target.func, Start.log_scale, Start.log_mean_relabelled


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("where", "name", "wrong", "setting", "particles"),
    [
        (running, "TemperedParticles", AcceptsAll, 6, PARTICLES),
        (running, "TemperedParticles", ForgetsTheMean, 4, PARTICLES),
        (running, "systematic", draws_evenly, 1, PARTICLES),
        (running, "TemperedParticles", WeighsAfterTheMove, 1, PARTICLES),
        (running, "trajectories", drift, 4, 4 * PARTICLES),
        (Start, "target", property(no_jacobian), 0, PARTICLES),
        (Start, "log_scale", no_normaliser, 1, PARTICLES),
        (Start, "log_scale", unequal_parts, 4, 4 * PARTICLES),
        (Start, "log_mean_relabelled", sum_over_labellings, 1, PARTICLES),
    ],
)
def test_a_wrong_kernel_is_rejected(monkeypatch, where, name, wrong, setting, particles):
    """By the same check, in one of its settings; with long steps and much resampling, so that
    what is wrong there shows.
    """
    monkeypatch.setattr(running, "TARGET_ACCEPTANCE", 0.4)
    monkeypatch.setattr(running, "UNEVEN", 0.95)
    monkeypatch.setattr(where, name, wrong)
    assert not abs(z_score(*SETTINGS[setting], particles=particles)) < 4
