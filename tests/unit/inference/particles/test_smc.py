"""The reference evidence: what it depends on, what is fixed in advance, how many runs and particles
it takes, which input it refuses.
"""

import numpy as np
import pytest

from latentdag.engine.log_mean import log_mean_exp
from latentdag.inference.particles import evidence
from latentdag.inference.particles.evidence import Particles, log_evidence, log_evidence_upper
from latentdag.inference.particles.model import Model
from latentdag.model.parameters import Prior, draw_study
from latentdag.model.structures import Family, Structure
from latentdag.scores.base import Reach
from latentdag.scores.reference import effort

TRUE = Structure.from_label("1-12-12-2")


def by_run(cases, structure=TRUE, particles=40, runs=3, **settings):
    return log_evidence(cases, structure, Prior(), particles, runs, **settings).by_run.tolist()


def test_a_run_depends_on_its_number_key_and_seed_alone(cases, monkeypatch):
    runs = by_run(cases[:60], seed=5, key=("x", 1))
    assert by_run(cases[:60], runs=2, seed=5, key=("x", 1)) == runs[:2]
    assert by_run(cases[:60], seed=5, key=("x", 2))[0] != runs[0]
    assert by_run(cases[:60], seed=6, key=("x", 1))[0] != runs[0]
    monkeypatch.setattr(evidence, "MEMORY", 1)  # one run at a time
    assert by_run(cases[:60], seed=5, key=("x", 1)) == runs
    # neither do the rounds share a stream
    assert len(set(by_run(cases[:10], particles=4, most_runs=9, target=1e-9))) == 9


@pytest.fixture
def made_up_runs(monkeypatch):
    """Which estimates `log_evidence` asks for, and made-up ones that it gets: those of a pilot have
    a standard deviation of 0.4 nats, those of the runs of 0.2.
    """
    calls, deviations = [], [0.4, 0.2]

    def made_up(model, particles, rngs):
        calls.append((particles, len(rngs)))
        deviation = deviations[min(len(calls), len(deviations)) - 1]
        return deviation * np.resize([1.0, -1.0], len(rngs))

    monkeypatch.setattr(evidence, "log_estimates", made_up)
    return calls, deviations


def test_runs_are_added_in_rounds_until_the_target_is_met(cases, made_up_runs):
    estimate = log_evidence(cases[:640], TRUE, Prior(), 64, 8, 100, target=0.055)
    # pilot: half the runs
    particles = evidence.enough_particles(64, np.var([0.4, -0.4, 0.4, -0.4], ddof=1), 8, 0.055)
    assert made_up_runs[0] == [(64, 4), (particles, 8), (particles, 8)] and particles > 64
    assert estimate.particles == particles and len(estimate.by_run) == 16
    assert estimate.standard_error <= 0.055 < log_mean_exp(estimate.by_run[:8])[1]


@pytest.mark.parametrize(("factor", "again"), [(3.9, False), (4.1, True)])
def test_a_round_that_needs_far_more_particles_is_another_pilot(cases, made_up_runs, factor, again):
    calls, deviations = made_up_runs
    variance = np.log1p(8 * (0.75 * 0.3) ** 2)  # the variance of 8 runs that have the target
    deviations[:] = 0.01, np.sqrt(factor * variance * 7 / 8), 0.1
    log_evidence(cases[:640], TRUE, Prior(), 64, 8, 16, target=0.3)
    assert calls == [(64, 4), (64, 8), (320 if again else 64, 8)]


def test_runs_end_where_the_budget_does(cases, made_up_runs):
    calls, _ = made_up_runs
    estimate = log_evidence(cases[:320], TRUE, Prior(), 64, 8, 20, target=0.01)
    most = 256 * 64  # particles of a run; of a pilot twice as many as at 640 cases
    assert calls == [(128, 4), (most, 8), (most, 8), (most, 4)]
    assert len(estimate.by_run) == 20 and estimate.standard_error > 0.01
    calls.clear()
    log_evidence(cases[:10], TRUE, Prior(), 64, 8, most_runs=8, target=1e-9)
    assert calls == [(64, 8)]  # a fixed number of runs has no pilot


def test_particles_follow_from_the_spread_and_the_target():
    # 16 runs of variance v: an error of 0.075 is asked for where exp(v) - 1 = 16 x 0.075^2
    variance = np.log(1 + 16 * 0.075**2)
    assert evidence.enough_particles(64, 0.99 * variance, 16, 0.1) == 64
    assert evidence.enough_particles(64, 3.99 * variance, 16, 0.1) == 256
    assert evidence.enough_particles(64, 4.01 * variance, 16, 0.1) == 320  # whole vectors
    assert evidence.enough_particles(64, 0.0, 16, 0.1) == 64


def test_childless_hidden_variables_are_ignored(cases):
    """Their states are not retained: those of the others must be, whichever comes first."""
    structure = Structure.from_label("2-2-0-2")
    states = np.random.default_rng(0).integers(2, size=(30, 2))
    other_first, other_second = states ^ [1, 0], states * [1, 0]

    def by_run(states):
        return log_evidence_upper(cases[:30], states, structure, Prior(), 4, 3).by_run.tolist()

    assert by_run(states) == by_run(other_first) != by_run(other_second)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "nats"), [(80, 1e-5), (2560, 1e-5), (10240, 2e-4)])
@pytest.mark.parametrize("label", ["1-12-12-2", "12-12-12-12", "1-1-2-2"])
def test_single_precision_hardly_moves_ln_of_a_weight(label, n, nats, monkeypatch):
    """Along the true hidden states: where they are drawn, rounding leads to other draws at last."""
    draw, structure = draw_study(TRUE, Prior(), n, seed=2003), Structure.from_label(label)

    def log_weight(expected):
        model = Model(structure, draw.cases, Prior())
        assert model.float is expected
        particles = Particles(model, 1, [np.random.default_rng(0)])
        particles.add(n, model.encode(draw.states)[None])
        return particles.log_ratio()[0]

    single = log_weight(np.float32)
    monkeypatch.setattr("latentdag.inference.particles.model._float_type", lambda *_: np.float64)
    assert 0 < abs(single - log_weight(np.float64)) < nats


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"particles": 1}, "at least 2 particles"),
        ({"runs": 1}, "2 runs"),
        ({"cases": np.full((10, 4), 5)}, "is not an integer from 0 to 4"),
        ({"states": np.zeros((10, 1), dtype=int)}, "states must be integers of shape"),
        ({"states": np.zeros((10, 2))}, "states must be integers of shape"),
        ({"states": np.full((10, 2), 2)}, r"below its cardinality of \[2, 2\]"),
    ],
)
def test_invalid_input_is_named(cases, change, message):
    settings = {"cases": cases[:10], "structure": TRUE, "particles": 4, "runs": 2} | change
    with pytest.raises(ValueError, match=message):
        (log_evidence_upper if "states" in change else log_evidence)(prior=Prior(), **settings)


@pytest.mark.slow
def test_weights_outside_the_range_of_numbers_are_refused():
    family = Family((2,), (2,) * 400)
    structure = Structure.from_label("-".join(["1"] * 400), family)
    cases = np.random.default_rng(0).integers(2, size=(30, 400))
    with (
        np.errstate(all="ignore"),
        pytest.raises(FloatingPointError, match="alpha is too small for so many variables"),
    ):
        log_evidence(cases, structure, Prior(0.01, 1.0), 4, 2)


def test_effort_goes_to_structures_within_reach():
    """Within reach a target of its own, and fewer runs above most_cases; beyond two runs; without a
    reach the study's target.
    """
    settings = {"target": 0.1, "particles": 64, "runs": 9, "most_runs": 50}
    reach = Reach(frozenset({"1-1"}), 0.3, 1280)
    for n, target in ((640, 0.1), (641, 0.25), (2560, 0.25), (2561, 0.5)):
        assert effort(settings, n, "1-1", None) == settings | {"target": target}
    for n in (640, 1280):
        assert effort(settings, n, "1-1", reach) == settings | {"target": 0.3, "pilot": False}
    expected = settings | {"target": 0.3, "pilot": False, "most_runs": 10}
    assert effort(settings, 5 * 1280, "1-1", reach) == expected
    few = reach._replace(least=-10.0)  # three standard errors below
    assert few.may_matter(-11.0, 0.34) and not few.may_matter(-11.0, 0.33)
    for n in (10, 5120):
        assert effort(settings, n, "1-2", reach) == settings | {"runs": 2, "most_runs": 2}
