"""The reference evidence against enumeration: calibrated, bounded above."""

import numpy as np
import pytest
from oracles import completions, posterior

from latentdag.engine.streams import generator
from latentdag.inference.particles import bounds, particles, schedule
from latentdag.inference.particles.bounds import log_evidence_upper
from latentdag.inference.particles.evidence import log_evidence
from latentdag.model.parameters import Prior, draw_parameters, simulate
from latentdag.model.structures import PAPER_FAMILY, Structure, enumerate_structures
from latentdag.scores import exact

pytestmark = pytest.mark.slow


def test_all_structures_at_ten_cases(cases):
    """Errors estimated from 16 runs: Student's t with 15 degrees of freedom, standard deviation
    1.07.
    """
    structures = enumerate_structures()
    truth = exact.log_evidence(cases[:10], structures)
    # few particles: an error that can be seen
    estimates = [log_evidence(cases[:10], s, Prior(), 256, 16) for s in structures]
    error = np.array([e.log_evidence for e in estimates]) - truth
    standard_error = np.array([e.standard_error for e in estimates])
    known = standard_error < 1e-9  # no links, or one parent at most where that is exact
    np.testing.assert_allclose(error[known], 0, atol=1e-5)
    z = error[~known] / standard_error[~known]
    assert len(z) >= 120
    assert 0.8 < z.std() < 1.35
    assert abs(z.mean()) < 4 * 1.07 / np.sqrt(len(z))
    assert np.abs(z).max() < 5.5


@pytest.fixture
def busy(monkeypatch):
    """Resampling at every rejuvenation, which otherwise needs many cases to happen."""
    monkeypatch.setattr(particles, "RESAMPLE_BELOW", 1.1)


def upper_z(label, prior, seed, n=6, repetitions=800, particles=2):
    """z-score of the mean of evidence / estimate against 1 over posterior draws of the states and
    conditional runs.
    """
    structure = Structure.from_label(label)
    rng = generator(seed, "upper", label)
    cases, _ = simulate(structure, draw_parameters(structure, prior, rng), n, rng)
    states = completions(PAPER_FAMILY, n)
    probabilities, log_p = posterior(structure, prior, cases)
    drawn = states[rng.choice(len(states), size=repetitions, p=probabilities)]
    found = [
        log_evidence_upper(cases, s, structure, prior, particles, 2, seed, key=(r,))
        for r, s in enumerate(drawn)
    ]
    ratio = np.exp(log_p - np.array([f.log_evidence for f in found]))
    return (ratio.mean() - 1) / (ratio.std(ddof=1) / np.sqrt(len(ratio)))


UPPER = [
    ("1-1-1-1", Prior(0.05, 1.0)),
    ("0-2-2-2", Prior(0.1, 1.0)),
    ("12-12-12-12", Prior(0.1, 1.0)),
    ("1-12-12-2", Prior()),
]


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(("label", "prior"), UPPER)
def test_reciprocal_of_upper_bound_is_unbiased(label, prior):
    assert abs(upper_z(label, prior, seed=2)) < 4


def unmoved(model, codes, rngs):
    path = [codes[:n] for n in schedule.rejuvenation_times(len(codes))] + [codes]
    return [np.tile(known, (len(rngs), 1)) for known in path]


def not_from_the_posterior(model, codes, rngs):
    return trajectories(model, rngs[0].permutation(codes), rngs)


trajectories = bounds.trajectories


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("wrong", [unmoved, not_from_the_posterior])
def test_wrong_trajectories_are_rejected(monkeypatch, wrong):
    monkeypatch.setattr(bounds, "trajectories", wrong)
    assert any(abs(upper_z(label, prior, seed=2)) > 4 for label, prior in UPPER)
