"""The rule that adds runs until a target is met: how little it biases the estimate, and whether the
errors that it reports are honest, for runs whose true distribution is known.
"""

import numpy as np
import pytest

from latentdag import Prior, Structure
from latentdag.inference.particles import evidence
from latentdag.inference.particles.evidence import log_evidence

pytestmark = pytest.mark.slow

STRUCTURE = Structure.from_label("1-12-12-2")
CASES = np.zeros((640, 4), dtype=int)  # as many as leave the pilot with its 64 particles
PARTICLES, RUNS, MOST_RUNS = 64, 16, 1024  # the study's


def found_by_the_rule(monkeypatch, deviation, target, seed, repetitions=500, runs=RUNS, pilot=True):
    """What the rule finds, (repetitions,) each: error and standard error in nats, and runs.

    The estimate of a run is log-normal with mean 1, and ln of it has ``deviation`` nats with the
    pilot's particles, and a variance that falls as one over their number.
    """
    rng = np.random.default_rng([seed, int(1000 * deviation), int(1000 * target)])

    def log_normal(model, particles, rngs):
        variance = deviation**2 * PARTICLES / particles
        return rng.normal(-variance / 2, np.sqrt(variance), len(rngs))

    monkeypatch.setattr(evidence, "log_estimates", log_normal)
    monkeypatch.setattr(evidence, "Model", lambda *_: MODEL)
    estimates = (
        log_evidence(CASES, STRUCTURE, Prior(), PARTICLES, runs, MOST_RUNS, target, pilot=pilot)
        for _ in range(repetitions)
    )
    return np.array([(f.log_evidence, f.standard_error, len(f.by_run)) for f in estimates]).T


MODEL = evidence.Model(STRUCTURE, CASES, Prior())


WITH_A_PILOT = {"runs": RUNS, "pilot": True}
WITHOUT = {"runs": 8, "pilot": False}  # as populations have it


@pytest.mark.parametrize(
    ("target", "rule", "largest_bias", "largest_share"),
    [*((target, WITH_A_PILOT, 0.15, 0.11) for target in (0.1, 0.25, 0.5)),
     (0.3, WITHOUT, 0.3, 0.17)],
)  # fmt: skip
@pytest.mark.parametrize("deviation", [0.1, 0.3, 0.6, 1.0, 2.0, 3.0])
def test_the_rule_meets_its_target_with_little_bias_and_honest_errors(
    monkeypatch, deviation, target, rule, largest_bias, largest_share
):
    """Over 6 seeds: the evidence 0.11 targets too low at most, ln of it 0.23 (most of which is the
    half variance that any ln of a mean is too low by), |z| above 2 in 4 to 9 % of 500 repetitions
    (Student's t with 15 degrees of freedom: 6 %). Without a pilot 0.3 targets, 0.4, and 7 to 13 %
    (with 7 degrees of freedom: 9 %); the budget ends 1 % of them before the target.
    """
    error, reported, runs = found_by_the_rule(monkeypatch, deviation, target, seed=0, **rule)
    assert (reported <= target).mean() >= (1 if rule["pilot"] else 0.97) and runs.max() <= MOST_RUNS
    evidence_over_true = np.exp(error)
    noise = 4 * evidence_over_true.std() / np.sqrt(len(error))
    assert abs(evidence_over_true.mean() - 1) < largest_bias * target + noise
    assert -0.6 * target < error.mean() < 0.03
    assert error.std() < 0.9 * target
    assert (np.abs(error / reported) > 2).mean() < largest_share  # 5 standard errors above
