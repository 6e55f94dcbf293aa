"""The reference evidence against enumeration: the laws of its moves; calibrated, bounded above.

A z-score of an estimate is blind to many a wrong move. The probabilities of what a move does are
known for every completion that it can start from: where it is deterministic given one random
number they are integrated exactly, elsewhere many particles are counted and held against them by a
chi-square test. Such a test fails by chance once in 100 000.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from oracles import chi_square, completions, log_joint, posterior

from latentdag.engine.streams import generator
from latentdag.inference.particles import evidence
from latentdag.inference.particles.evidence import (
    Particles,
    log_evidence,
    log_evidence_upper,
    rejuvenation_times,
    trajectories,
)
from latentdag.inference.particles.loops import parents
from latentdag.inference.particles.model import Model
from latentdag.model.parameters import Prior, draw_parameters, simulate
from latentdag.model.structures import PAPER_FAMILY, Family, Structure, enumerate_structures
from latentdag.scores import exact

pytestmark = pytest.mark.slow

BY_CHANCE = 1e-5
LANES = 2**17


class Tiny:
    """A structure with few cases, all their completions, and the exact laws of the moves."""

    def __init__(self, label, hidden, observed, prior, cases):
        self.structure, self.prior = Structure.from_label(label, Family(hidden, observed)), prior
        self.cases = np.array(cases)
        self.n = len(cases)
        self.model = Model(self.structure, self.cases, prior)

    def log_joint(self, n):
        """ln p(completion, the first n cases), in the order of `completions`."""
        states = completions(self.structure.family, n)
        return log_joint(self.structure, self.prior, states, self.cases[:n])

    def posterior(self, n):
        return posterior(self.structure, self.prior, self.cases[:n])[0]

    def draw(self, n, i):
        """The matrix of p(after | before) where case i draws its states given the other n - 1."""
        # one axis for each case; the states of the others stay
        p = self.posterior(n).reshape([self.model.n_states] * n)
        conditional = np.moveaxis(p / p.sum(axis=i, keepdims=True), i, 0).reshape(len(p), -1)
        index = np.moveaxis(np.arange(p.size).reshape(p.shape), i, 0).reshape(len(p), -1)
        matrix = np.zeros((p.size, p.size))
        for before in index:
            for after, probability in zip(index, conditional, strict=True):
                matrix[before, after] = probability
        return matrix

    def forwards(self, n):
        """The matrix of a sweep over n cases: case 0 draws first, then case 1, ..."""
        sweep = np.eye(len(self.posterior(n)))
        for i in range(n):
            sweep = sweep @ self.draw(n, i)
        return sweep

    def backwards(self, n):
        """The reversal: p(before) backwards(before, after) = p(after) forwards(after, before)."""
        p = self.posterior(n)
        return self.forwards(n).T * p / p[:, None]

    def index(self, codes):
        """Which of the `completions` the codes (..., n) are."""
        every = completions(self.structure.family, 1)[:, 0]
        state = {code: s for s, code in enumerate(self.model.encode(every).tolist())}
        states = np.vectorize(state.__getitem__, otypes=[int])(codes)
        return np.ravel_multi_index(tuple(states.T), [self.model.n_states] * codes.shape[-1])

    def particles(self, seed, n=None, lanes=LANES):
        particles = Particles(self.model, lanes, [generator(seed, "laws", self.structure.label)])
        particles.add(self.n if n is None else n)
        return particles


SETTINGS = {
    "one cause": ("1-1-0", (2,), (2, 3, 2), Prior(0.5, 0.8), [[0, 2, 1], [1, 0, 0], [0, 2, 0]]),
    "four cases": ("1-1", (2,), (2, 2), Prior(0.3, 2.0), [[0, 1], [1, 1], [0, 1], [0, 0]]),
    "four alike": ("1-1", (2,), (3, 3), Prior(0.2, 1.0), [[0, 1], [0, 1], [0, 1], [0, 2]]),
    "three states": ("1-1", (3,), (3, 2), Prior(0.6, 1.5), [[2, 1], [2, 0], [1, 1]]),
    "two causes": (
        *("1-12-2-1-12", (2, 2), (2, 3, 2, 2, 2), Prior(0.4, 1.2)),
        [[0, 2, 1, 0, 1], [1, 2, 0, 0, 1]],
    ),
    "childless": ("2-2", (3, 2), (2, 3), Prior(0.7, 0.5), [[0, 1], [0, 2], [1, 1]]),
}


@cache
def tiny(which):
    return Tiny(*SETTINGS[which])


# the first of two hidden variables of "childless" has no child, and is not in the codes
TINY = [which for which in SETTINGS if which != "childless"]


def transitions(before, after, n_states):
    return np.histogram2d(before, after, bins=np.arange(n_states + 1))[0]


@pytest.mark.parametrize("which", TINY)
def test_added_cases_draw_their_states_given_the_past(which):
    case, law = tiny(which), np.ones(1)
    drawn = case.index(case.particles(seed=0).states[0])
    for n in range(1, case.n + 1):
        p = case.posterior(n).reshape(len(law), -1)
        law = (law[:, None] * p / p.sum(axis=1, keepdims=True)).ravel()
    assert chi_square(np.bincount(drawn, minlength=len(law)), law) > BY_CHANCE


@pytest.mark.parametrize("which", [*TINY, "childless"])
def test_weights_are_the_predictive_probabilities_given_the_past(which):
    """p(y_1) p(y_2 | y_1, h_1) p(y_3 | y_1, y_2, h_1, h_2) ... of every single particle."""
    case = tiny(which)
    if which == "childless":
        case = Tiny("1-1", (2,), (2, 3), case.prior, case.cases)
    exact, earlier = np.zeros(1), np.zeros(1)  # ln weight, ln p(completion), for n - 1 cases
    for n in range(1, case.n + 1):
        joint = case.log_joint(n).reshape(len(earlier), -1)
        exact = np.repeat(exact + np.logaddexp.reduce(joint, axis=1) - earlier, joint.shape[1])
        earlier = joint.ravel()
    particles = tiny(which).particles(0, lanes=2000)
    logs = (particles.lanes.log_weights + np.log(particles.lanes.ratio)).ravel()[:2000]
    index = case.index(particles.states[0])
    assert len(set(index)) > case.model.n_states
    np.testing.assert_allclose(logs + case.model.log_unlinked[-1], exact[index], atol=2e-6)
    mean = np.log(np.mean(np.exp(exact[index])))
    assert particles.log_ratio() + case.model.log_unlinked[-1] == pytest.approx(mean, abs=2e-6)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("which", TINY)
def test_a_sweep_draws_each_case_in_turn_given_the_others(which, backwards):
    """From where a sweep the other way has been; backwards it is the reversal."""
    case = tiny(which)
    particles = case.particles(seed=0)
    particles.sweep(backwards=not backwards)
    before = case.index(particles.states[0])
    particles.sweep(backwards=backwards)
    counts = transitions(before, case.index(particles.states[0]), case.model.n_states**case.n)
    right, wrong = (case.backwards, case.forwards)[:: 1 if backwards else -1]
    assert chi_square(counts, right(case.n)) > BY_CHANCE
    # and no sweep the other way, which this test can tell from it
    assert chi_square(counts, wrong(case.n)) < 1e-9


@pytest.mark.parametrize("which", TINY)
def test_the_retained_trajectory_is_drawn_backwards(which):
    """From each rejuvenation to the one before it."""
    case = tiny(which)
    every = completions(case.structure.family, case.n)
    codes = case.model.encode(every[len(every) // 3])
    rng = generator(0, "trajectory", case.structure.label)
    path = trajectories(case.model, codes, rng.spawn(4000))
    times = rejuvenation_times(case.n)
    assert list(times) == list(range(1, case.n)) and len(path) == case.n
    assert (path[-1] == codes).all()
    for n, earlier, later in zip(times, path, path[1:], strict=False):
        before, after = case.index(later[:, :n]), case.index(earlier)
        counts = transitions(before, after, case.model.n_states**n)
        assert chi_square(counts, case.backwards(n)) > BY_CHANCE


def law_of_parents(weights, conditional):
    """The tuples of parents with their probabilities, exact, by the numbers where they change."""
    lanes, edges = len(weights), np.append(0.0, np.cumsum(weights)[:-1])
    changes = ((edges[:, None] - np.arange(lanes) / lanes) % 1.0).ravel()
    if conditional:
        changes = changes[changes < weights[0]] / weights[0]
    bounds = np.unique([0.0, 1.0, *changes])
    law = {}
    for low, high in pairwise(bounds):
        if high - low < 1e-12:  # two changes that are one but for rounding
            continue
        copied = tuple(parents(weights, (low + high) / 2, conditional).tolist())
        law[copied] = law.get(copied, 0.0) + high - low
    return law


RESAMPLED = [
    np.array([0.3, 0.05, 0.4, 0.25]),
    np.array([0.6, 0.1, 0.0, 0.3]),
    np.array([0.02, 0.9, 0.05, 0.03]),
    np.array([0.21, 0.13, 0.06, 0.11, 0.29, 0.2]),
    np.full(5, 0.2),
]


@pytest.mark.parametrize("weights", RESAMPLED)
def test_every_lane_copies_each_particle_by_its_weight(weights):
    """Each lane, not only their average; and no particle has a whole copy too few or too many."""
    law, lanes = law_of_parents(weights, conditional=False), len(weights)
    for lane in range(lanes):
        share = np.zeros(len(weights))
        for copied, probability in law.items():
            share[copied[lane]] += probability
        np.testing.assert_allclose(share, weights, atol=1e-12)
    for copied in law:
        copies = np.bincount(copied, minlength=len(weights))
        assert (np.abs(copies - lanes * weights) < 1).all()


@pytest.mark.parametrize("weights", RESAMPLED)
def test_conditional_resampling_is_the_law_given_that_lane_0_copies_itself(weights):
    free = law_of_parents(weights, conditional=False)
    expected = {copied: p / weights[0] for copied, p in free.items() if copied[0] == 0}
    conditional = law_of_parents(weights, conditional=True)
    assert conditional.keys() == expected.keys()
    for copied, probability in expected.items():
        assert conditional[copied] == pytest.approx(probability, abs=1e-12)


def test_all_structures_at_ten_cases(cases):
    """Errors from 16 runs: Student's t with 15 degrees of freedom, standard deviation 1.07."""
    structures = enumerate_structures()
    truth = exact.log_evidence(cases[:10], structures)
    # few particles: an error that can be seen
    estimates = [log_evidence(cases[:10], s, Prior(), 256, 16) for s in structures]
    error = np.array([e.log_evidence for e in estimates]) - truth
    standard_error = np.array([e.standard_error for e in estimates])
    exact_estimates = standard_error < 1e-9  # no links, or one parent at most where that is exact
    np.testing.assert_allclose(error[exact_estimates], 0, atol=1e-5)
    z = error[~exact_estimates] / standard_error[~exact_estimates]
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
    monkeypatch.setattr(evidence, "RESAMPLE_BELOW", 1.1)
    structure, rng = Structure.from_label(label), generator(2, "upper", label)
    cases, _ = simulate(structure, draw_parameters(structure, prior, rng), 6, rng)
    states = completions(PAPER_FAMILY, 6)
    probabilities, log_p = posterior(structure, prior, cases)
    drawn = states[rng.choice(len(states), size=800, p=probabilities)]
    upper = [
        log_evidence_upper(cases, completion, structure, prior, 2, 2, seed=2, key=(r,)).log_evidence
        for r, completion in enumerate(drawn)
    ]
    ratio = np.exp(log_p - np.array(upper))
    assert abs(ratio.mean() - 1) < 4 * ratio.std(ddof=1) / np.sqrt(len(ratio))
