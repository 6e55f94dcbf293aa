"""The compiled chains of annealed importance sampling against plain loops."""

from itertools import islice

import numpy as np
import oracles
import pytest
from numba import njit

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.simd import LANES, store
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais import walk
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior

STATES = np.random.default_rng(5).integers(2**64, size=(4, LANES), dtype=np.uint64)


@njit
def many_words(streams, out):
    for row in range(len(out)):
        store(out, row, walk.random_words(streams))


def test_random_words_are_those_of_xoshiro256_plus_plus():
    """Its authors' numbers from the state 1, 2, 3, 4; in every lane those of its own state."""
    states, words = STATES.copy(), np.empty((1000, LANES), dtype=np.uint64)
    states[:, 3] = 1, 2, 3, 4
    expected = np.array([list(islice(oracles.random_words(s), 1000)) for s in states.T])
    many_words(states, words)
    known = [41943041, 58720359, 3588806011781223, 3591011842654386]
    assert words[:4, 3].tolist() == known
    assert (expected == words.T).all()


def begun(family, label, n, prior=Prior(0.7, 1.6), lanes=LANES):
    """A structure, cases, the target, and chains at draws from the prior."""
    s = Structure.from_label(label, family)
    rng = np.random.default_rng([n, *label.encode()])
    cases = rng.integers(family.observed, size=(n, len(family.observed)))
    kernel = Kernel([s], cell_counts(cases, family))
    goal = ais.target(kernel, 0, prior)
    streams = [generator(1, "walk", lane) for lane in range(lanes)]
    return s, cases, goal, ais._begin(goal, *ais._draws(kernel, 0, prior, streams))


@pytest.mark.parametrize(
    ("family", "label"),
    [
        (Family((2,), (2, 2, 2)), "1-0-1"),
        (Family((2, 3), (3, 2)), "12-2"),
        (Family((2, 2, 2), (2, 2, 2)), "12-13-23"),
        (Family((2, 3, 2, 2), (2, 3, 2)), "12-34-24"),
        (Family((), (3, 2)), "0-0"),
    ],
    ids=str,
)
def test_a_run_by_plain_loops(family, label):
    """Every number: schedule, width of the proposal, random numbers, decisions, weights and what
    is counted; in one call or in two.
    """
    s, cases, goal, chains = begun(family, label, 12, lanes=3)
    x, states = chains.x.copy(), chains.streams.copy()
    steps = 80
    # no two lanes have the same
    power, wider = np.linspace(1.5, 3, LANES), np.linspace(0, 0.3, LANES)
    temperatures = (np.arange(steps + 1)[:, None] / steps) ** power
    log_steps = np.array([-0.5, -1.0, -0.2])[:, None] + wider
    part = np.arange(steps) * 3 // steps
    accepted = np.zeros((3, LANES))
    for now in (slice(0, 2 * walk.BLOCK), slice(2 * walk.BLOCK, steps)):
        walk.run(
            *(goal, chains, temperatures[now.start : now.stop + 1]),
            *(log_steps[now.start // walk.BLOCK :], part[now], accepted),
        )
    for lane in (0, 1, 2, LANES - 1):
        log_weight, moves, values = oracles.annealing_chain(
            *(s, cases, Prior(0.7, 1.6), x[:, lane], states[:, lane]),
            *(temperatures[1:, lane], log_steps[:, lane]),
        )
        assert accepted[:, lane].tolist() == np.bincount(part, moves, minlength=3).tolist()
        assert chains.log_weight[0, lane] == pytest.approx(log_weight, rel=1e-11)
        assert chains.log_likelihood[0, lane] == pytest.approx(values[-1], rel=1e-11)
    assert 0 < accepted.sum() < accepted[0].size * steps
    # the last chains filled up: they began as copies of the first three
    assert (x[:, 3:6] == x[:, :3]).all() and (states[:, 3:6] == states[:, :3]).all()
