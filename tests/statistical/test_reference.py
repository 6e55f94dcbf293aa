"""The reference evidence against enumeration: calibrated, bounded above."""

import numpy as np
import pytest
from oracles import completions, posterior

from latentdag.engine.streams import generator
from latentdag.inference.particles import particles
from latentdag.inference.particles.evidence import log_evidence, log_evidence_upper
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


@pytest.mark.parametrize(
    ("label", "prior"),
    [
        ("1-1-1-1", Prior(0.05, 1.0)),
        ("0-2-2-2", Prior(0.1, 1.0)),
        ("12-12-12-12", Prior(0.1, 1.0)),
        ("1-12-12-2", Prior()),
    ],
)
def test_the_reciprocal_of_the_upper_bound_is_unbiased(monkeypatch, label, prior):
    """The mean of evidence / estimate is 1 over posterior draws of the states and conditional runs.
    They resample at every rejuvenation, which otherwise needs many cases to happen.
    """
    monkeypatch.setattr(particles, "RESAMPLE_BELOW", 1.1)
    structure, rng = Structure.from_label(label), generator(2, "upper", label)
    cases, _ = simulate(structure, draw_parameters(structure, prior, rng), 6, rng)
    states = completions(PAPER_FAMILY, 6)
    probabilities, log_p = posterior(structure, prior, cases)
    drawn = states[rng.choice(len(states), size=800, p=probabilities)]
    found = [
        log_evidence_upper(cases, own, structure, prior, 2, 2, seed=2, key=(r,)).log_evidence
        for r, own in enumerate(drawn)
    ]
    ratio = np.exp(log_p - np.array(found))
    assert abs(ratio.mean() - 1) < 4 * ratio.std(ddof=1) / np.sqrt(len(ratio))
