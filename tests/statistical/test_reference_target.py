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
    found = [
        log_evidence(CASES, STRUCTURE, Prior(), PARTICLES, runs, MOST_RUNS, target, pilot=pilot)
        for _ in range(repetitions)
    ]
    return (
        np.array([f.log_evidence for f in found]),
        np.array([f.standard_error for f in found]),
        np.array([len(f.by_run) for f in found]),
    )


MODEL = evidence.Model(STRUCTURE, CASES, Prior())


@pytest.mark.parametrize("target", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("deviation", [0.1, 0.3, 1.0, 2.0, 3.0])
def test_the_rule_meets_its_target_with_little_bias_and_honest_errors(
    monkeypatch, deviation, target
):
    """Over 6 seeds: the evidence 0.11 targets too low at most, ln of it 0.23 (most of which is the
    half variance that any ln of a mean is too low by), |z| above 2 in 4 to 9 % of 500 repetitions
    (Student's t with 15 degrees of freedom: 6 %).
    """
    error, reported, runs = found_by_the_rule(monkeypatch, deviation, target, seed=0)
    assert (reported <= target).all() and runs.max() <= MOST_RUNS
    evidence_over_true = np.exp(error)
    noise = 4 * evidence_over_true.std() / np.sqrt(len(error))
    assert abs(evidence_over_true.mean() - 1) < 0.15 * target + noise
    assert error.std() < 0.9 * target
    assert (np.abs(error / reported) > 2).mean() < 0.11  # 5 standard errors above 0.06


@pytest.mark.parametrize("deviation", [0.1, 0.6, 1.0, 3.0])
def test_without_a_pilot_the_rule_is_a_little_more_biased(monkeypatch, deviation):
    """As populations have it. Over 4 seeds: the evidence 0.09 of itself too low at most, ln of it
    0.13 nats, and |z| above 2 in 7 to 13 % of 500 repetitions (Student's t with 7 degrees of
    freedom: 9 %). The target is missed, by the budget, in 1 % at most.
    """
    target = 0.3
    error, reported, runs = found_by_the_rule(
        monkeypatch, deviation, target, seed=0, runs=8, pilot=False
    )
    assert (reported <= target).mean() > 0.97 and runs.max() <= MOST_RUNS
    evidence_over_true = np.exp(error)
    noise = 4 * evidence_over_true.std() / np.sqrt(len(error))
    assert abs(evidence_over_true.mean() - 1) < 0.3 * target + noise
    assert -0.6 * target < error.mean() < 0.03
    assert (np.abs(error / reported) > 2).mean() < 0.17


@pytest.mark.weekly
def test_a_rule_that_stops_early_is_seen(monkeypatch):
    """Without a pilot, stopping at the first pair of runs that lie close together."""
    monkeypatch.setattr(evidence, "enough_particles", lambda particles, *_: particles)
    error, _, _ = found_by_the_rule(monkeypatch, 1.0, 0.1, seed=0, runs=2)
    assert error.std() > 0.2  # over 5 seeds 0.22 to 0.31; the rule itself has at most 0.09
