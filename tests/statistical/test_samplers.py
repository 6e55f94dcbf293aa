"""E[weight] = p(y given m) exactly, for every sampler, schedule and number of particles, with
missing values and without; and the power of this check against wrong samplers.

The mean of some thousand weights of low effort, divided by the exact evidence, must be 1 within 4
standard errors. With few cases and a strong prior, where weights spread little, an error of 1 %
shows. Over 50 seeds and more for each setting a correct mean failed once in 600, at 4.1 or 4.2, and
no wrong one passed; the seed is fixed all the same.
"""

from functools import partial
from itertools import product
from math import inf
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest
from compiled_anew import anew
from numba import njit

from latentdag import Family, Structure
from latentdag.data.counts import MISSING, cell_counts
from latentdag.engine.simd import LANES, everywhere, fma, load, store
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais import walk
from latentdag.inference.particles import evidence
from latentdag.inference.particles.evidence import Particles, log_estimates, order
from latentdag.inference.particles.model import Model
from latentdag.inference.slots import Kernel
from latentdag.inference.tempered import estimates as tempered
from latentdag.inference.tempered.estimates import Start, TemperedModel
from latentdag.model.parameters import Prior
from latentdag.scores.exact import log_evidence

pytestmark = pytest.mark.slow

PAPER, SMALL, UNEQUAL = Family(), Family((2,), (2, 2, 2)), Family((2, 3), (3, 2))
THREE = Family((2, 2, 2), (2, 2, 2))


class Setting(NamedTuple):
    structure: Structure  # without childless hidden variables
    prior: Prior
    cases: np.ndarray
    steps: int  # of AIS
    estimates: dict[str, int]  # by sampler
    largest_error: float = inf  # of the mean


ESTIMATES = {"ais": 4096, "ais by rows": 4096, "ais side by side": 2048}
ESTIMATES |= {"tempered_smc": 192, "reference": 2000}


def repetitive(family, n):
    """Cases that make the likelihood far from flat, so that moves matter."""
    rng = np.random.default_rng(11)
    few = np.column_stack([rng.integers(k, size=3) for k in family.observed])
    return few[rng.integers(3, size=n)]


def of(label, family, prior, n, steps, missing=()):
    """A third of the values of some variables is ``missing``, or all of them where it is one."""
    cases = repetitive(family, n)
    for j in missing:
        cases[(np.arange(n) + j) % 3 == 0 if len(missing) > 1 else slice(None), j] = MISSING
    structure = Structure.from_label(label, family).without_childless()
    return Setting(structure, prior, cases, steps, ESTIMATES)


M = MISSING
PRECISE = {"ais": 16_000, "ais by rows": 16_000, "ais side by side": 16_000}
PRECISE |= {"tempered_smc": 200, "reference": 400}


def precise(label, family, prior, cases):
    structure = Structure.from_label(label, family)
    return Setting(structure, prior, np.array(cases), 512, PRECISE, largest_error=0.0016)


# steps: long enough for weights without heavy tails, short enough that wrong moves show
SETTINGS = {
    "two steps": of("1-1-1", SMALL, Prior(1.0), 4, 2),
    "few steps": of("1-1-1", SMALL, Prior(1.0), 6, 16),
    "weak prior": of("1-1-1", SMALL, Prior(0.5), 4, 128),
    "more cases": of("1-1-1", SMALL, Prior(0.5), 12, 128),
    "from the prior": of("1-0-1", SMALL, Prior(2.0), 6, 1),
    "three causes": of("12-13-23", THREE, Prior(1.0, 0.5), 5, 32),
    "private causes": of("1-2-3", THREE, Prior(0.5), 5, 128),
    "unequal": of("12-2", UNEQUAL, Prior(0.7, 1.3), 4, 64),
    # two shapes of the proposal, the second for a single step
    "childless": of("2-2", UNEQUAL, Prior(2.0, 0.5), 7, 33),
    "the paper's": of("1-12-12-2", PAPER, Prior(2.0, 1.0), 4, 256),
    "other links": of("0-1-12-1", PAPER, Prior(1.0), 3, 256),
    "holes": of("1-1-1", Family((2,), (2, 3, 2)), Prior(1.0), 7, 64, [0, 1]),
    "holes elsewhere": of("1-1-0", Family((2,), (2, 3, 2)), Prior(0.5, 2.0), 7, 64, [1, 2]),
    "holes in children of two": of(
        "1-12-12-2", Family((2, 2), (3, 2, 2, 3)), Prior(1.0), 7, 64, [1, 3]
    ),
    "holes everywhere": of("12-12-2", Family((2, 3), (2, 2, 3)), Prior(0.7, 1.4), 7, 64, [0, 1, 2]),
    "never observed": of("12-1-12", Family((2, 2), (2, 2, 2)), Prior(1.0), 7, 64, [2]),
    "precise": precise("1-1-1", SMALL, Prior(6.0, 3.0), [[0, 1, 1], [0, 1, 0], [1, 0, 0]]),
    "precise with holes": precise(
        *("12-1-12", Family((2, 2), (2, 2, 2)), Prior(5.0, 4.0)),
        [[0, 1, M], [0, 1, 1], [1, M, M], [M, 0, 0]],
    ),
}


def tuned(kernel, prior, seed, by_row=False):
    pilots = [generator(seed, "pilot", c) for c in range(ais.PILOT_CHAINS)]
    return ais.tune(kernel, 0, prior, pilots, by_row)


def of_ais(s, number, seed, by_row=False):
    kernel = Kernel([s.structure], cell_counts(s.cases, s.structure.family))
    tuning = tuned(kernel, s.prior, seed, by_row)
    streams = [generator(seed, "chain", c) for c in range(number)]
    return ais.anneal(kernel, 0, s.prior, tuning, s.steps, streams).log_weights


EACH = 4  # chains of each data set side by side: LANES in all


def of_ais_side_by_side(s, number, seed):
    """In lots with chains of fewer and of more cases."""
    data = [s.cases, s.cases[:2], np.tile(s.cases, (3, 1)), np.tile(s.cases, (9, 1))]
    kernels = [Kernel([s.structure], cell_counts(cases, s.structure.family)) for cases in data]
    tunings = [tuned(kernel, s.prior, seed) for kernel in kernels]
    log_weights = []
    for lot in range(number // EACH):
        streams = [[generator(seed, "chain", k, lot, c) for c in range(EACH)] for k in range(4)]
        chains = ais.anneal_each(kernels, 0, s.prior, tunings, s.steps, streams)
        log_weights.append(chains[0].log_weights)
    return np.concatenate(log_weights)


def of_tempered_smc(s, number, seed):
    kernel = Kernel([s.structure], cell_counts(s.cases, s.structure.family))
    model = TemperedModel(kernel, 0, s.structure, s.prior)
    n_particles = 32 if s.largest_error == inf else 1024
    return tempered.log_estimates(
        model, n_particles, number, lambda *which: generator(seed, *which)
    )


def of_reference(s, number, seed):
    model = Model(s.structure, s.cases[order(s.cases)], s.prior)
    return log_estimates(model, 4, [generator(seed, "run", r) for r in range(number)])


SAMPLERS = {
    "ais": of_ais,
    "ais by rows": partial(of_ais, by_row=True),
    "ais side by side": of_ais_side_by_side,
    "tempered_smc": of_tempered_smc,
    "reference": of_reference,
}


def is_the_evidence(sampler, setting, seed=0, times=1):
    """Whether the mean of the estimates is, ``times`` as many as usual."""
    s = SETTINGS[setting]
    log_weights = SAMPLERS[sampler](s, times * s.estimates[sampler], seed)
    ratio = np.exp(log_weights - log_evidence(s.cases, [s.structure], s.prior)[0])
    error = ratio.std(ddof=1) / np.sqrt(len(ratio))
    return error < s.largest_error and abs(ratio.mean() - 1) < 4 * error


@pytest.fixture
def much_resampling(monkeypatch):
    """Which otherwise needs many cases to happen."""
    monkeypatch.setattr(evidence, "RESAMPLE_BELOW", 1.1)
    monkeypatch.setattr(tempered, "UNEVEN", 0.95)
    monkeypatch.setattr(tempered, "TARGET_ACCEPTANCE", 0.4)  # of long steps


# of the slow samplers what differs most, and shows each of the wrong ones below but for those that
# the moves along a chain show
SOME = {"ais by rows": {"few steps", "unequal", "holes everywhere"}}
SOME["ais side by side"] = SOME["ais by rows"]
SOME["tempered_smc"] = {"few steps", "childless", "holes everywhere"}
WEEKLY = {("ais", "precise with holes")}
WEEKLY |= {(sampler, setting) for sampler in SOME for setting in SETTINGS.keys() - SOME[sampler]}
EVERY = [
    pytest.param(*pair, marks=[pytest.mark.weekly] * (pair in WEEKLY))
    for pair in product(SAMPLERS, SETTINGS)
]


@pytest.mark.usefixtures("much_resampling")
@pytest.mark.parametrize(("sampler", "setting"), EVERY)
def test_the_mean_weight_is_the_evidence(sampler, setting):
    assert is_the_evidence(sampler, setting)


def predicts_as_the_posterior(module, by_row):
    """Whether the mean of p(a new case given theta) along chains at temperature 1 is p(it given
    the cases), within 4 standard errors.
    """
    s, new = SETTINGS["few steps"], np.array([[0, 1, 1]])
    kernel, of_new = (
        Kernel([s.structure], cell_counts(c, s.structure.family)) for c in (s.cases, new)
    )
    goal = ais.target([kernel], 0, s.prior, by_row)
    streams = [generator(0, "posterior", c) for c in range(LANES)]
    chains = ais._begin(goal, *ais._draws(kernel, 0, s.prior, streams))
    rounds, batch = 4000, of_new.batch(np.zeros(LANES, dtype=int))
    turns = np.arange(walk.BLOCK * rounds) % (len(goal.moves) - 1)
    none = np.zeros(walk.BLOCK, dtype=int)
    log_steps = np.zeros((1, len(goal.moves) - 1, LANES))
    predicted = np.empty((rounds, LANES))
    for i, move in enumerate(turns.reshape(rounds, -1)):
        at_one = np.ones((walk.BLOCK + 1, LANES))
        module.run(goal, chains, at_one, log_steps, move, none, np.zeros((1, LANES)))
        slots = [of_new.log_normalise(of_new.expand(0, x)) for x in chains.x.T]
        predicted[i] = np.exp(batch.log_likelihood(np.exp(slots)))
    means = predicted[rounds // 20 :].mean(axis=0)
    both = np.concatenate([s.cases, new])
    after, before = (log_evidence(c, [s.structure], s.prior)[0] for c in (both, s.cases))
    error, expected = means.std(ddof=1) / np.sqrt(LANES), np.exp(after - before)
    return error < 0.02 * expected and abs(means.mean() - expected) < 4 * error


@pytest.mark.parametrize("by_row", [False, True])
def test_the_moves_leave_the_posterior_as_it_is(by_row):
    assert predicts_as_the_posterior(walk, by_row)


# --- wrong samplers


COPIES = np.repeat([2.0, 1.0, 2.0, 4.0], [10, 40, 10, 4])  # of the parameters of 1-12-12-2


@njit
def forgets_ties(x, target, chains):
    """Counts the prior of a row once for each joint hidden state."""
    log_likelihood, log_prior = walk.evaluate(x, target, chains)
    for d in range(len(x)):
        again = load(x, d) - walk.exp(load(x, d))
        log_prior = fma(again, target.alpha[d] * (COPIES[d] - 1), log_prior)
    return log_likelihood, log_prior


@njit
def accepts_all(chains, proposed_likelihood, proposed_prior, temperature):
    return everywhere(inf)


@njit
def weighs_after_the_move(target, chains, temperatures, log_steps, move, part, accepted):
    """The likelihood ratio is taken at the point after the update instead of before."""
    for b in range(part.size):
        weight, one = load(chains.log_weight, 0), slice(b, b + 1)
        rise = load(temperatures, b + 1) - load(temperatures, b)
        walk.run(
            *(target, chains, temperatures[b : b + 2], log_steps[b // walk.BLOCK :]),
            *(move[one], part[one], accepted),
        )
        store(chains.log_weight, 0, weight)
        walk.weigh(chains, rise)


@njit
def no_jacobian(x, target, chains):
    """The density of theta's gamma variables in place of that of their logarithms."""
    log_likelihood, log_prior = walk.evaluate(x, target, chains)
    for d in range(len(x)):
        log_prior = log_prior - load(x, d)
    return log_likelihood, log_prior


@njit
def forgets_what_moved(target, chains, temperature, move):
    """While other rows move, one of them is taken to stand where it was before its last move."""
    before = chains.proposal.copy()
    moved = walk.update(target, chains, temperature, move)
    for d in range(target.moves[move], target.moves[move + 1]):
        store(chains.proposal, d, load(before, d))
    return moved


@njit
def drifts(chains, start, end):
    """A proposal that is not symmetric: half of the parameters tend to rise, half to fall."""
    walk.propose(chains, start, end)
    for d in range(start, end):
        drift = load(chains.scale, d) * 0.5 * (1 - 2 * (d % 2))
        store(chains.proposal, d, load(chains.proposal, d) + drift)


def counts_of_a_neighbour(*arguments):
    """Lanes have the data of others."""
    goal = TARGET_OF_CHAINS(*arguments)
    if goal.cells.counts.ndim == 1:  # of pilots
        return goal
    counts = np.roll(goal.cells.counts, EACH, axis=1)
    return goal._replace(cells=goal.cells._replace(counts=counts))


class AcceptsAll(tempered.TemperedParticles):
    def accepted(self, log_ratio):
        return np.isfinite(log_ratio)


class ForgetsTheMean(tempered.TemperedParticles):
    """Starts again from weight 1 after resampling."""

    def resample(self):
        before = self.log_weight
        super().resample()
        if self.log_weight is not before:
            self.log_weight = np.zeros_like(before)


def density_of_theta(self):
    return TARGET(self)._replace(alpha=self.model.alpha - 1)


def no_normaliser(self, counts):
    return np.full(len(counts), -np.log(len(counts)))


def sum_over_labellings(self, log_theta):
    """Not the mean."""
    return LOG_MEAN(self, log_theta) + np.log(self.model.n_relabellings())


def sweeps_by_another_prior(particles, *args, **kwargs):
    right = particles._tables
    particles._tables = right._replace(alpha=right.alpha * 0 + 3)
    SWEEP(particles, *args, **kwargs)
    particles._tables = right


def copies_by_the_root_of_the_weights(particles, conditional):
    particles.lanes.log_weights[:] *= 0.5
    particles.lanes.ratio[:] **= 0.5
    RESAMPLE(particles, conditional)


def walking_by(module):
    """`ais.anneal` with another `walk`; the pilots' walk is the right one."""

    def anneal(*arguments):
        with mock.patch.object(ais, "walk", module):
            return ANNEAL(*arguments)

    return anneal


ANNEAL, TARGET_OF_CHAINS = ais.anneal, ais.target
TARGET, LOG_MEAN = Start.target.func, Start.log_mean_relabelled
SWEEP, RESAMPLE = Particles.sweep, Particles.resample


@pytest.mark.weekly
@pytest.mark.usefixtures("much_resampling")
@pytest.mark.parametrize(
    ("sampler", "place", "name", "wrong", "setting", "times"),
    [
        ("ais", walk, "evaluate", forgets_ties, "the paper's", 1),
        ("ais", walk, "log_ratio", accepts_all, "few steps", 1),
        ("ais", walk, "run", weighs_after_the_move, "two steps", 4),
        ("ais", walk, "propose", drifts, "weak prior", 1),
        ("ais by rows", walk, "evaluate", no_jacobian, "precise", 1),
        ("ais by rows", walk, "update", forgets_what_moved, "precise", 1),
        ("ais side by side", ais, "target", counts_of_a_neighbour, "more cases", 1),
        ("tempered_smc", tempered, "TemperedParticles", AcceptsAll, "childless", 1),
        ("tempered_smc", tempered, "TemperedParticles", ForgetsTheMean, "private causes", 1),
        ("tempered_smc", Start, "target", property(density_of_theta), "few steps", 1),
        ("tempered_smc", Start, "log_scale", no_normaliser, "more cases", 1),
        ("tempered_smc", Start, "log_mean_relabelled", sum_over_labellings, "more cases", 1),
        ("reference", Particles, "sweep", sweeps_by_another_prior, "the paper's", 4),
        ("reference", Particles, "resample", copies_by_the_root_of_the_weights, "more cases", 1),
    ],
)
def test_a_wrong_sampler_is_rejected(monkeypatch, sampler, place, name, wrong, setting, times):
    """By the same check, in one of its settings."""
    if place is walk:
        place, name, wrong = ais, "anneal", walking_by(anew(walk, **{name: wrong}))
    monkeypatch.setattr(place, name, wrong)
    assert not is_the_evidence(sampler, setting, times=times)


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "wrong", "by_row"),
    [
        ("evaluate", no_jacobian, False),
        ("evaluate", no_jacobian, True),
        ("propose", drifts, True),
    ],
)
def test_wrong_moves_are_rejected(name, wrong, by_row):
    assert not predicts_as_the_posterior(anew(walk, **{name: wrong}), by_row)
