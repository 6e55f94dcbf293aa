"""Draws from the prior and simulated cases against the distributions they claim to come from."""

import itertools

import numpy as np
import oracles
import pytest
from scipy import stats

from latentdag import Family, Parameters, Structure, draw_parameters, draw_study, simulate
from latentdag.engine.streams import generator
from latentdag.model.parameters import Prior, draw_log_gamma

pytestmark = pytest.mark.slow


def chi_square(structure, parameters, cases):
    """p value of the cases against the oracle's cell probabilities."""
    expected = oracles.cell_probabilities(structure, parameters).ravel()
    cells = np.ravel_multi_index(tuple(cases.T), structure.family.observed)
    return oracles.chi_square(np.bincount(cells, minlength=len(expected)), expected)


@pytest.mark.parametrize(
    ("family", "label", "wrong"),
    [
        (Family(), "1-12-12-2", "2-12-12-1"),
        (Family((2,), (2, 2, 2)), "1-1-0", "1-0-1"),
        (Family((2, 2, 2), (2, 2, 2)), "12-23-13", "13-23-12"),
        (Family((2, 3), (3, 2, 4)), "12-2-1", "12-1-2"),
        (Family((3, 2), (4, 4)), "12-12", "0-0"),
    ],
)
def test_cases_follow_the_cell_probabilities(family, label, wrong):
    s = Structure.from_label(label, family)
    parameters = oracles.random_parameters(s, np.random.default_rng(1))
    cases, states = simulate(s, parameters, 20_000, generator(1, "simulate", label))
    assert cases.shape == (20_000, len(family.observed))
    assert states.shape == (20_000, len(family.hidden))
    assert 1e-3 < chi_square(s, parameters, cases) < 1 - 1e-3
    # the same parameters wired otherwise are found out
    w = Structure.from_label(wrong, family)
    other = oracles.random_parameters(w, np.random.default_rng(1))
    assert chi_square(w, other, cases) < 1e-12


def test_more_cases_of_a_draw_follow_those_that_it_has():
    """Its parameters and first cases are those of a smaller simulation, and no case comes again."""
    s = Structure.from_label("1-12-12-2")
    few, many = (draw_study(s, Prior(), n, seed=2003, draw=3) for n in (10_240, 163_840))
    for small, large in zip(few.parameters.observed, many.parameters.observed, strict=True):
        assert np.array_equal(small, large)
    assert np.array_equal(few.cases, many.cases[:10_240])
    assert np.array_equal(few.states, many.states[:10_240])
    for k in range(1, 16):  # a stream that began anew would repeat the first
        assert not np.array_equal(few.cases, many.cases[k * 10_240 : (k + 1) * 10_240])
    assert 1e-3 < chi_square(s, many.parameters, many.cases) < 1 - 1e-3


def test_no_two_draws_have_their_cases_from_the_same_stream():
    """Where they had, the same cases would have rare states and values, whatever the parameters."""
    s = Structure.from_label("1-12-12-2")
    draws = [draw_study(s, Prior(), 20_000, seed=2003, draw=draw) for draw in range(6)]
    for a, b in itertools.combinations(draws, 2):
        for x, y in zip(np.c_[a.states, a.cases].T, np.c_[b.states, b.cases].T, strict=True):
            # independent: normal with standard deviation 1 / sqrt(20,000); 90 pairs
            assert abs(stats.spearmanr(x, y).statistic) < 4.5 / np.sqrt(20_000)


def test_sure_events_are_sure():
    """A probability of 0 is never drawn, one of 1 always, however cumulative sums are rounded."""
    s = Structure.from_label("1-0", Family((2,), (3, 3)))
    rows = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    parameters = Parameters((np.array([0.1, 0.9]),), (rows, np.full((1, 3), 1 / 3)))
    cases, states = simulate(s, parameters, 2000, generator(4, "sure"))
    assert (cases[:, 0] == states[:, 0] + 1).all()
    assert set(cases[:, 1]) == {0, 1, 2}


def test_parameters_are_drawn_from_the_prior():
    """Rows of the right shape: each value follows a Beta distribution, and no other row."""
    s, rng = Structure.from_label("12-2", Family((2, 3), (4, 5))), generator(5, "prior")
    draws = [draw_parameters(s, Prior(0.5, 3.0), rng) for _ in range(4000)]
    tables = [np.array(t) for t in zip(*((*d.hidden, *d.observed) for d in draws), strict=True)]
    assert [t.shape[1:] for t in tables] == [(2,), (3,), (6, 4), (3, 5)]
    for table, a in zip(tables, (3.0, 3.0, 0.5, 0.5), strict=True):
        k = table.shape[-1]
        values = table.reshape(len(draws), -1)
        assert np.allclose(table.sum(axis=-1), 1)
        for column in values.T:
            assert stats.kstest(column, stats.beta(a, (k - 1) * a).cdf).pvalue > 1e-4
        between_rows = np.corrcoef(values.T)[:k, k:]
        assert np.abs(between_rows).max(initial=0) < 4.5 / np.sqrt(len(draws))


@pytest.mark.parametrize("alpha", [0.01, 0.5, 1.0, 50.0])
def test_logarithms_of_gamma_draws(alpha):
    """Of which the smallest are far below the range of numbers."""
    x = draw_log_gamma(np.array([alpha, 1.0] * 20_000), generator(6, "gamma", alpha))
    for values, a in zip(x.reshape(-1, 2).T, (alpha, 1.0), strict=True):
        assert np.isfinite(values).all()
        assert stats.kstest(values, stats.loggamma(a).cdf).pvalue > 1e-3
    assert alpha > 0.01 or x.min() < np.log(np.finfo(float).tiny)
