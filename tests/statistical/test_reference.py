"""The reference evidence against exact values: unbiased, calibrated, bounded above."""

import csv
from pathlib import Path

import numpy as np
import pytest
from completions import completions, posterior

from latentdag.engine.streams import generator
from latentdag.inference.particles import bounds, particles, schedule
from latentdag.inference.particles.bounds import log_evidence_upper
from latentdag.inference.particles.evidence import log_evidence
from latentdag.inference.particles.model import Model
from latentdag.inference.particles.particles import Particles
from latentdag.model.parameters import Prior, draw_parameters, parent_configuration, simulate
from latentdag.model.structures import PAPER_FAMILY, Family, Structure

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
CASES = np.loadtxt(DATA / "cases.csv", delimiter=",", skiprows=1, dtype=int)
THREE_HIDDEN = Family((2, 2, 2), (3, 2, 2))
ONE_HIDDEN = Family((3,), (2, 4, 3))


def evidence_rows():
    with open(DATA / "values.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return [r for r in rows if r["quantity"] in ("exact", "evidence") and int(r["n"]) <= 480]


def z_of_mean_one(ratios):
    return (ratios.mean() - 1) / (ratios.std(ddof=1) / np.sqrt(len(ratios)))


def unbiasedness_z(label, family, prior, n, seed=0, particles=8, runs=2000):
    """z-score of the mean of estimate / evidence against 1, at n cases of the structure's own."""
    structure = Structure.from_label(label, family)
    rng = generator(seed, "unbiased", label, prior)
    cases, _ = simulate(structure, draw_parameters(structure, prior, rng), n, rng)
    exact = posterior(structure, prior, cases)[1]
    estimate = log_evidence(cases, structure, prior, particles, runs, seed=seed)
    return z_of_mean_one(np.exp(estimate.by_run - exact))


UNBIASED = [
    ("1-12-12-2", PAPER_FAMILY, Prior(), 6),
    ("1-12-12-2", PAPER_FAMILY, Prior(0.5, 2.0), 6),
    ("12-12-12-12", PAPER_FAMILY, Prior(0.3), 6),
    ("0-2-2-12", PAPER_FAMILY, Prior(2.0, 0.7), 6),
    ("1-0-1", ONE_HIDDEN, Prior(), 6),
    ("1-1-1", ONE_HIDDEN, Prior(0.4, 1.5), 6),
    ("12-23-123", THREE_HIDDEN, Prior(), 4),
    ("1-2-3", THREE_HIDDEN, Prior(0.6, 0.6), 4),
]


@pytest.fixture
def busy(monkeypatch):
    """Resampling at every rejuvenation, which otherwise needs many cases to happen."""
    monkeypatch.setattr(particles, "RESAMPLE_BELOW", 1.1)


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(("label", "family", "prior", "n"), UNBIASED)
def test_estimate_is_unbiased(label, family, prior, n):
    assert abs(unbiasedness_z(label, family, prior, n)) < 4


def wrong_sweep(particles, *args, **kwargs):
    right = particles._tables
    particles._tables = right._replace(alpha=right.alpha * 0 + 3)
    sweep(particles, *args, **kwargs)
    particles._tables = right


def wrong_resample(particles, conditional):
    particles.lanes.log_weights[:] *= 0.5  # copies by the square root of the weights
    particles.lanes.ratio[:] **= 0.5
    resample(particles, conditional)


sweep, resample = Particles.sweep, Particles.resample


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    ("method", "wrong"), [("sweep", wrong_sweep), ("resample", wrong_resample)]
)
def test_wrong_kernels_are_rejected(monkeypatch, method, wrong):
    monkeypatch.setattr(Particles, method, wrong)
    assert any(abs(unbiasedness_z(*case)) > 4 for case in UNBIASED[2::-1])


def test_agrees_with_independent_values():
    z = []
    for row in evidence_rows():
        prior = Prior(float(row["alpha"]), float(row["alpha_hidden"]))
        n, exact = int(row["n"]), row["quantity"] == "exact"
        found = log_evidence(
            CASES[:n], Structure.from_label(row["structure"]), prior, particles=256, runs=32
        )
        error = abs(found.log_evidence - float(row["value"]))
        # the values that are estimates come with a tolerance of 4 standard errors + 0.05
        scale = np.hypot(found.standard_error, 0 if exact else float(row["tolerance"]) / 4) + 1e-6
        assert error < 5 * scale, row
        z.append(error / scale)
    assert len(z) > 90
    assert np.sqrt(np.mean(np.square(z))) < 1.25


def calibration(seed):
    """z-scores against the exact value at n = 10, one per repetition with streams of its own."""
    structure, exact = Structure.from_label("1-12-12-2"), -63.314206248791635
    found = [
        log_evidence(CASES[:10], structure, Prior(), 64, 16, seed=seed, key=(r,))
        for r in range(600)
    ]
    return np.array([(f.log_evidence - exact) / f.standard_error for f in found])


def test_standard_errors_are_calibrated():
    z = calibration(seed=0)
    assert 0.8 < z.std(ddof=1) < 1.25
    assert abs(z.mean()) < 0.4


def geweke_statistics(structure, states, cases):
    """Of one (states, cases): balance of s1, and how often pairs of cases share a value and a
    parent configuration.
    """
    pairs = []
    for j in range(cases.shape[1]):
        cell = parent_configuration(structure, j, states) * 10 + cases[:, j]
        pairs.append(np.mean(cell[:, None] == cell))
    return [np.mean(states[:, 0] == 0) ** 2, np.mean(states[:, 0] == states[:, 1]) ** 2, *pairs]


def geweke_z(seed, alpha_used, iterations=2500, n=8):
    """Geweke (2004): sweeps alternating with new cases given the states against independent draws;
    z-scores by batches.
    """
    structure, prior = Structure.from_label("1-12-2", Family((2, 2), (3, 3, 3))), Prior(0.5, 0.8)
    rng = generator(seed, "geweke")
    free, chain = [], []
    for _ in range(iterations):
        cases, states = simulate(structure, draw_parameters(structure, prior, rng), n, rng)
        free.append(geweke_statistics(structure, states, cases))
    for _ in range(iterations):
        model = Model(structure, cases, Prior(alpha_used, 0.8))
        particle = Particles(model, 1, [rng])
        particle.add(n, model.encode(states)[None])
        particle.sweep()
        states = (particle.states[0, 0][:, None] >> model._offset) & 1
        parameters = draw_parameters(structure, prior, rng)
        for j, rows in enumerate(parameters.observed):
            p = rows[parent_configuration(structure, j, states)]
            cases[:, j] = (rng.random((n, 1)) >= np.cumsum(p[:, :-1], axis=1)).sum(axis=1)
        chain.append(geweke_statistics(structure, states, cases))
    free, chain = np.array(free), np.array(chain)
    batches = chain.reshape(50, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(free.var(axis=0) / len(free) + batches.var(axis=0, ddof=1) / len(batches))
    return (chain.mean(axis=0) - free.mean(axis=0)) / error


def test_gibbs_sweep_passes_gewekes_test():
    assert np.abs(geweke_z(0, alpha_used=0.5)).max() < 4


def test_gewekes_test_rejects_a_wrong_sweep():
    assert np.abs(geweke_z(0, alpha_used=2.0)).max() > 4


def test_no_mode_is_missed():
    # more links than the truth: several modes; other particle numbers, columns and names of values
    # must not matter
    structure, cases = Structure.from_label("12-12-12-12"), CASES[:480]
    renamed = np.array([3, 0, 4, 1, 2])[cases[:, [2, 0, 3, 1]]]
    found = [
        log_evidence(cases, structure, Prior(), 512, 16, key=("a",)),
        log_evidence(cases, structure, Prior(), 2048, 16, key=("b",)),
        log_evidence(renamed, structure, Prior(), 1024, 16, key=("c",)),
    ]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        difference = found[i].log_evidence - found[j].log_evidence
        assert abs(difference) < 4 * np.hypot(found[i].standard_error, found[j].standard_error)
    assert found[1].standard_error < 0.2


def upper_z(label, prior, seed, n=6, repetitions=800, particles=2):
    """z-score of the mean of evidence / estimate against 1 over posterior draws of the states and
    conditional runs.
    """
    structure = Structure.from_label(label)
    rng = generator(seed, "upper", label)
    cases, _ = simulate(structure, draw_parameters(structure, prior, rng), n, rng)
    states = completions(PAPER_FAMILY, n)
    probabilities, exact = posterior(structure, prior, cases)
    drawn = states[rng.choice(len(states), size=repetitions, p=probabilities)]
    found = [
        log_evidence_upper(cases, s, structure, prior, particles, 2, seed, key=(r,))
        for r, s in enumerate(drawn)
    ]
    return z_of_mean_one(np.exp(exact - np.array([f.log_evidence for f in found])))


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


def test_bounds_enclose():
    structure = Structure.from_label("1-12-12-2")
    rng = generator(0, "sandwich")
    cases, states = simulate(structure, draw_parameters(structure, Prior(), rng), 160, rng)
    for n in (40, 160):
        lower = log_evidence(cases[:n], structure, Prior(), 512, 8)
        upper = log_evidence_upper(cases[:n], states[:n], structure, Prior(), 512, 8)
        error = np.hypot(lower.standard_error, upper.standard_error)
        gap = upper.log_evidence - lower.log_evidence
        assert -4 * error < gap < 1
