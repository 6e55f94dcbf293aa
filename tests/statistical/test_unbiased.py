"""E[weight] = p(y given m) exactly, for any schedule: the check that a sampler is right, and its
power against wrong ones.

The weights of thousands of short chains, divided by the exact evidence, must average 1 within 4
standard errors. Over 60 seeds for each setting one of the 600 correct runs failed, at 4.1,
and over 30 seeds none of the wrong kernels below passed; the seed is fixed all the same.
"""

from math import inf
from unittest import mock

import numpy as np
import pytest
from compiled_anew import anew
from numba import njit

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.simd import everywhere, fma, load, reals_of, store, where
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais import walk
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores.exact import log_evidence

pytestmark = pytest.mark.slow

CHAINS = 4096
PAPER, SMALL, THREE, UNEQUAL = (
    Family(),
    Family((2,), (2, 2, 2)),
    Family((2, 2, 2), (2, 2, 2)),
    Family((2, 3), (3, 2)),
)
# family, structure, n, prior, steps: long enough for weights without heavy tails, short enough that
# wrong moves show
SETTINGS = [
    (SMALL, "1-1-1", 4, Prior(1.0), 2),
    (SMALL, "1-1-1", 6, Prior(1.0), 16),
    (SMALL, "1-1-1", 4, Prior(0.5), 128),
    (SMALL, "1-0-1", 6, Prior(2.0), 1),  # plain importance sampling from the prior
    (THREE, "12-13-23", 5, Prior(1.0, 0.5), 32),
    (THREE, "1-2-3", 4, Prior(0.5), 128),
    (UNEQUAL, "12-2", 4, Prior(0.7, 1.3), 64),
    (
        UNEQUAL,
        "2-2",
        6,
        Prior(2.0, 0.5),
        33,
    ),  # two shapes of the proposal, the second for a single step
    (PAPER, "1-12-12-2", 4, Prior(2.0, 1.0), 256),
    (PAPER, "0-1-12-1", 3, Prior(1.0), 256),
]


def data(family, n):
    """Repetitive cases, so that the likelihood is far from flat and moves matter."""
    rng = np.random.default_rng(11)
    few = np.column_stack([rng.integers(k, size=3) for k in family.observed])
    return few[rng.integers(3, size=n)]


def z_score(family, label, n, prior, steps, seed=0, chains=CHAINS, walking=walk):
    """(mean weight / exact evidence - 1) in standard errors, of chains that walk by the module
    ``walking``; the pilots' walk is always the right one.
    """
    s = Structure.from_label(label, family).without_childless()
    cases = data(family, n)
    kernel = Kernel([s], cell_counts(cases, family))
    tuning = ais.tune(
        kernel, 0, prior, [generator(seed, "pilot", c) for c in range(ais.PILOT_CHAINS)]
    )
    streams = [generator(seed, "chain", c) for c in range(chains)]
    with mock.patch.object(ais, "walk", walking):
        run = ais.anneal(kernel, 0, prior, tuning, steps, streams)
    ratio = np.exp(run.log_weights - log_evidence(cases, [s], prior)[0])
    return (ratio.mean() - 1) / (ratio.std(ddof=1) / np.sqrt(chains))


@pytest.mark.parametrize(("family", "label", "n", "prior", "steps"), SETTINGS, ids=str)
def test_the_mean_weight_is_the_evidence(family, label, n, prior, steps):
    assert abs(z_score(family, label, n, prior, steps)) < 4


SIZES = (10, 80, 4, 25)  # of the nested data sets whose chains stand side by side
EACH = 4  # chains of each: LANES in all


def z_scores_of_sizes(seed=0, lots=512):
    """`z_score` at 10 and at 4 cases, of chains that share lanes with those of other sizes."""
    family, prior, steps = SMALL, Prior(1.0), 64
    s = Structure.from_label("1-1-1", family)
    cases = data(family, max(SIZES))
    kernels = [Kernel([s], cell_counts(cases[:n], family)) for n in SIZES]
    tunings = [
        ais.tune(k, 0, prior, [generator(seed, "pilot", n, c) for c in range(ais.PILOT_CHAINS)])
        for n, k in zip(SIZES, kernels, strict=True)
    ]
    log_weights = []
    for lot in range(lots):
        streams = [[generator(seed, "chain", n, lot, c) for c in range(EACH)] for n in SIZES]
        runs = ais.anneal_each(kernels, 0, prior, tunings, steps, streams)
        log_weights.append([run.log_weights for run in runs])
    for n, weights in zip(SIZES, np.swapaxes(log_weights, 0, 1), strict=True):
        if n <= 10:
            ratio = np.exp(weights.ravel() - log_evidence(cases[:n], [s], prior)[0])
            yield (ratio.mean() - 1) / (ratio.std(ddof=1) / np.sqrt(ratio.size))


def test_the_mean_weight_is_the_evidence_beside_chains_of_other_sizes():
    z = list(z_scores_of_sizes())
    assert len(z) == 2 and np.abs(z).max() < 4


@pytest.mark.parametrize("wrong", ["counts", "weights"])
def test_a_lane_that_reads_what_belongs_to_its_neighbour_is_rejected(monkeypatch, wrong):
    """The counts of its data, or the log weight of its chain."""
    if wrong == "counts":
        right = ais.target_of_lanes

        def of_the_neighbour(*arguments):
            goal = right(*arguments)
            counts = np.roll(goal.cells.counts, 1, axis=1)
            return goal._replace(cells=goal.cells._replace(counts=counts))

        monkeypatch.setattr(ais, "target_of_lanes", of_the_neighbour)
    else:
        run = ais._run

        def shifted(*arguments):
            return tuple(np.roll(values, 1, axis=0) for values in run(*arguments))

        monkeypatch.setattr(ais, "_run", shifted)
    assert not max(np.abs(list(z_scores_of_sizes()))) < 4


@njit
def no_prior_ratio(x, target, chains):
    """Accepts on the likelihood alone."""
    return walk.evaluate(x, target, chains)[0], everywhere(0.0)


@njit
def no_jacobian(x, target, chains):
    """The density of g where that of ln g is needed: the prior's exponent is 1 too small."""
    log_likelihood, log_prior = walk.evaluate(x, target, chains)
    for d in range(len(x)):
        log_prior = log_prior - load(x, d)
    return log_likelihood, log_prior


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
def weighs_after_the_move(target, chains, temperatures, log_steps, part, accepted):
    """The likelihood ratio is taken at the point after the update instead of before."""
    for b in range(part.size):
        weight, one = load(chains.log_weight, 0), slice(b, b + 1)
        rise = load(temperatures, b + 1) - load(temperatures, b)
        walk.run(
            *(target, chains, temperatures[b : b + 2], log_steps[b // walk.BLOCK :]),
            *(part[one], accepted),
        )
        store(chains.log_weight, 0, weight)
        walk.weigh(chains, rise)


@njit
def cold_moves(target, chains, temperature):
    """Updates at the full posterior whatever the temperature."""
    return walk.update(target, chains, 1.0)


@njit
def drifts(chains):
    """A proposal that is not symmetric: half of the parameters tend to rise, half to fall."""
    walk.propose(chains)
    for d in range(len(chains.x)):
        drift = load(chains.scale, d) * 0.5 * (1 - 2 * (d % 2))
        store(chains.proposal, d, load(chains.proposal, d) + drift)


@njit
def decides_by_the_words_of_the_proposal(target, chains, temperature):
    """Whether to accept hangs on the random numbers that the proposal was made of."""
    words = chains.streams.copy()
    walk.propose(chains)
    log_likelihood, log_prior = walk.evaluate(chains.proposal, target, chains)
    uniform = (reals_of(walk.random_words(words) >> 12) + 0.5) * 2.0**-52
    ratio = walk.log_ratio(chains, log_likelihood, log_prior, temperature)
    moved = walk.log(uniform) < ratio
    for d in range(len(chains.x)):
        store(chains.x, d, where(moved, load(chains.proposal, d), load(chains.x, d)))
    now = load(chains.log_likelihood, 0), load(chains.log_prior, 0)
    store(chains.log_likelihood, 0, where(moved, log_likelihood, now[0]))
    store(chains.log_prior, 0, where(moved, log_prior, now[1]))
    return where(moved, everywhere(1.0), 0.0)


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "wrong", "setting", "chains"),
    [
        ("evaluate", no_prior_ratio, 6, CHAINS),
        ("evaluate", no_jacobian, 2, CHAINS),
        ("evaluate", forgets_ties, 8, CHAINS),
        ("log_ratio", accepts_all, 1, CHAINS),
        ("run", weighs_after_the_move, 0, 4 * CHAINS),
        ("update", cold_moves, 1, CHAINS),
        ("propose", drifts, 2, CHAINS),
        ("update", decides_by_the_words_of_the_proposal, 6, CHAINS),
    ],
)
def test_a_wrong_kernel_is_rejected(name, wrong, setting, chains):
    """By the same check, in one of its settings."""
    z = z_score(*SETTINGS[setting], chains=chains, walking=anew(walk, **{name: wrong}))
    assert not abs(z) < 4
