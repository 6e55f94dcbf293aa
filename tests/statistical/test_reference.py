"""The reference evidence against enumeration and other programs: calibrated, bounded above."""

import csv
from pathlib import Path

import numpy as np
import pytest
from oracles import completions, posterior

from latentdag.engine.streams import generator
from latentdag.inference.particles import evidence, particles
from latentdag.inference.particles.evidence import log_evidence, log_evidence_upper
from latentdag.model.parameters import Prior, draw_parameters, simulate
from latentdag.model.structures import PAPER_FAMILY, Structure, enumerate_structures
from latentdag.scores import exact

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
CASES = np.loadtxt(DATA / "cases.csv", delimiter=",", skiprows=1, dtype=int)


def test_all_structures_at_ten_cases():
    """Errors estimated from 16 runs: Student's t with 15 degrees of freedom, standard deviation
    1.07.
    """
    structures = enumerate_structures()
    truth = exact.log_evidence(CASES[:10], structures)
    # few particles: an error that can be seen
    estimates = [log_evidence(CASES[:10], s, Prior(), 256, 16) for s in structures]
    error = np.array([e.log_evidence for e in estimates]) - truth
    standard_error = np.array([e.standard_error for e in estimates])
    known = standard_error < 1e-9  # no links, or one parent at most where that is exact
    np.testing.assert_allclose(error[known], 0, atol=1e-5)
    z = error[~known] / standard_error[~known]
    assert len(z) >= 120
    assert 0.8 < z.std() < 1.35
    assert abs(z.mean()) < 4 * 1.07 / np.sqrt(len(z))
    assert np.abs(z).max() < 5.5


def evidence_rows():
    with open(DATA / "values.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return [r for r in rows if r["quantity"] in ("exact", "evidence") and int(r["n"]) <= 480]


def test_agrees_with_independent_values():
    z = []
    for row in evidence_rows():
        prior = Prior(float(row["alpha"]), float(row["alpha_hidden"]))
        n, is_exact = int(row["n"]), row["quantity"] == "exact"
        found = log_evidence(
            CASES[:n], Structure.from_label(row["structure"]), prior, particles=256, runs=32
        )
        error = abs(found.log_evidence - float(row["value"]))
        # the values that are estimates come with a tolerance of 4 standard errors + 0.05
        scale = (
            np.hypot(found.standard_error, 0 if is_exact else float(row["tolerance"]) / 4) + 1e-6
        )
        assert error < 5 * scale, row
        z.append(error / scale)
    assert len(z) > 90
    assert np.sqrt(np.mean(np.square(z))) < 1.25


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
    path = [codes[:n] for n in particles.rejuvenation_times(len(codes))] + [codes]
    return [np.tile(known, (len(rngs), 1)) for known in path]


def not_from_the_posterior(model, codes, rngs):
    return trajectories(model, rngs[0].permutation(codes), rngs)


trajectories = evidence.trajectories


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("wrong", [unmoved, not_from_the_posterior])
def test_wrong_trajectories_are_rejected(monkeypatch, wrong):
    monkeypatch.setattr(evidence, "trajectories", wrong)
    assert any(abs(upper_z(label, prior, seed=2)) > 4 for label, prior in UPPER)
