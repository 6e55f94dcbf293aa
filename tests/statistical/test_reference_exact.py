"""The reference evidence against enumeration, for every structure of the paper's family."""

import numpy as np
import pytest

from latentdag import Prior, enumerate_structures
from latentdag.inference.particles.evidence import log_evidence
from latentdag.scores import exact

pytestmark = pytest.mark.slow

PARTICLES, RUNS = 256, 16  # few particles: an error that can be seen


def z_scores(cases, seed, prior=Prior()):
    structures = enumerate_structures()
    truth = exact.log_evidence(cases[:10], structures, prior)
    estimates = [log_evidence(cases[:10], s, prior, PARTICLES, RUNS, seed=seed) for s in structures]
    error = np.array([e.log_evidence for e in estimates]) - truth
    standard_error = np.array([e.standard_error for e in estimates])
    known = standard_error < 1e-9  # no links, or one parent at most where that is exact
    np.testing.assert_allclose(error[known], 0, atol=1e-5)
    return error[~known] / standard_error[~known]


def test_all_structures_at_ten_cases(cases):
    """Errors estimated from 16 runs: Student's t with 15 degrees of freedom, standard deviation
    1.07.
    """
    z = z_scores(cases, seed=0)
    assert len(z) >= 120
    assert 0.8 < z.std() < 1.35
    assert abs(z.mean()) < 4 * 1.07 / np.sqrt(len(z))
    assert np.abs(z).max() < 5.5
