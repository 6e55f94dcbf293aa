"""The number of distinct relabelled copies of a mode, against a list of all its images."""

from math import exp, factorial, log

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.inference.relabellings import log_copies

FAMILIES = [
    ("1-1", Family((3,), (2, 3))),
    ("1-12-12-2", Family()),
    ("12-12-12-12", Family()),
    ("1-1-2-2", Family()),
    ("12-12", Family((2, 2), (3, 2))),
    ("12-12", Family((2, 3), (3, 2))),
    ("12-12", Family((3, 3), (2, 2))),
    ("12-2-1", Family((3, 2), (2, 2, 2))),
    ("123-123", Family((2, 2, 2), (3, 2))),
    ("12-123", Family((2, 2, 2), (3, 2))),
    ("13-123-2", Family((2, 3, 2), (2, 2, 2))),
    ("0-0", Family((), (3, 2))),
]
each_family = pytest.mark.parametrize(("label", "family"), FAMILIES, ids=str)


def flat(hidden, tables):
    return np.concatenate([np.ravel(x) for x in (*hidden, *tables)])


def count(structure, hidden, tables):
    """The number of images that differ."""
    distinct = []
    for names in oracles.relabellings(structure):
        own = flat(*oracles.image(structure, hidden, tables, *names))
        if all(np.abs(own - other).max() > 1e-2 for other in distinct):
            distinct.append(own)
    return len(distinct)


def copies(structure, hidden, tables):
    number = exp(log_copies(structure, oracles.as_slots(structure, hidden, tables)))
    assert number == pytest.approx(round(number), rel=1e-12)
    return round(number)


def random_mode(structure, rng):
    parameters = oracles.random_parameters(structure, rng)
    return list(parameters.hidden), oracles.tables(structure, parameters)


@each_family
@pytest.mark.parametrize("seed", range(6))
def test_a_mode_that_is_its_own_image(label, family, seed):
    """The mean of a mode and its images under one or two relabellings, again and again, is a mode
    that these map onto itself.
    """
    structure = Structure.from_label(label, family)
    rng = np.random.default_rng(seed)
    hidden, tables = random_mode(structure, rng)
    names = list(oracles.relabellings(structure))
    for which in rng.integers(len(names), size=1 + seed % 2):
        for _ in range(12):  # more than the order of any of them
            own, total = (hidden, tables), 0
            for _ in range(12):
                own = oracles.image(structure, *own, *names[which])
                total = total + flat(*own)
            sizes = np.cumsum([x.size for x in (*hidden, *tables)])[:-1]
            parts = np.split(total / 12, sizes)
            n = len(hidden)
            tables = [p.reshape(t.shape) for p, t in zip(parts[n:], tables, strict=True)]
            hidden = parts[:n]
    expected = count(structure, hidden, tables)
    assert copies(structure, hidden, tables) == expected
    # neither the noise of a fit nor another name changes that
    noisy = [h + 1e-5 * rng.normal(size=h.shape) for h in hidden]
    assert copies(structure, noisy, tables) == expected
    for other in rng.integers(len(names), size=3):
        renamed = oracles.image(structure, hidden, tables, *names[other])
        assert copies(structure, *renamed) == expected


def test_only_the_joint_states_tell_them_apart():
    """Parity of three causes: no state, nor pair of states, differs from another; but to rename the
    states of one or of three causes makes odd of even.
    """
    structure = Structure.from_label("123", Family((2, 2, 2), (2,)))
    parity = np.indices((2, 2, 2)).sum(axis=0) % 2
    tables = [np.stack([0.1 + 0.8 * parity, 0.9 - 0.8 * parity], axis=-1)]
    hidden = [np.array([0.5, 0.5])] * 3
    assert copies(structure, hidden, tables) == 2 == count(structure, hidden, tables)


@pytest.mark.parametrize("alike", [1, 4, 9])
def test_nine_states(alike):
    """More images than can be listed."""
    structure = Structure.from_label("1-1-1", Family((9,), (3, 3, 4)))
    hidden, tables = random_mode(structure, np.random.default_rng(4))
    for x in (*hidden, *tables):
        x[:alike] = x[0]
    number = log_copies(structure, oracles.as_slots(structure, hidden, tables))
    assert number == pytest.approx(log(factorial(9) / factorial(alike)), rel=1e-12)


@pytest.mark.parametrize(("apart", "expected"), [(0.008, 1), (0.012, 2)])
def test_how_far_apart_two_modes_are(apart, expected):
    structure = Structure.from_label("1", Family((2,), (2,)))
    table = np.array([[0.5, 0.5], [0.5 + apart, 0.5 - apart]])
    assert copies(structure, [np.full(2, 0.5)], [table]) == expected
