"""Draws from the prior and simulated cases against the distributions they claim to come from."""

import numpy as np
import oracles
import pytest
from scipy import stats
from scipy.special import digamma, polygamma

from latentdag import Family, Structure, draw_parameters, simulate
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


def test_sure_events_are_sure():
    """A probability of 0 is never drawn, one of 1 always; rounding in the cumulative sums must not
    lead out of range.
    """
    from latentdag import Parameters

    s = Structure.from_label("1-0", Family((2,), (3, 3)))
    rows = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    cases, states = simulate(
        s,
        Parameters((np.array([0.1, 0.9]),), (rows, np.full((1, 3), 1 / 3))),
        2000,
        generator(4, "sure"),
    )
    assert (cases[:, 0] == states[:, 0] + 1).all()
    assert set(cases[:, 1]) == {0, 1, 2}


def test_parameters_are_drawn_from_the_prior():
    """Shapes, and the first two moments of every row: variance of Dirichlet(a) over K values is (K
    - 1) / (K^2 (K a + 1)).
    """
    family = Family((2, 3), (4, 5))
    s = Structure.from_label("12-2", family)
    rng = generator(5, "prior")
    draws = [draw_parameters(s, Prior(0.5, 3.0), rng) for _ in range(4000)]
    assert [np.shape(p) for p in (*draws[0].hidden, *draws[0].observed)] == [
        (2,),
        (3,),
        (6, 4),
        (3, 5),
    ]
    for get, k, a in (
        (lambda d: d.hidden[0], 2, 3.0),
        (lambda d: d.hidden[1], 3, 3.0),
        (lambda d: d.observed[0], 4, 0.5),
        (lambda d: d.observed[1], 5, 0.5),
    ):
        x = np.array([get(d) for d in draws])
        assert np.allclose(x.sum(axis=-1), 1)
        variance = (k - 1) / (k**2 * (k * a + 1))
        assert np.abs(x.mean(axis=0) - 1 / k).max() < 4.5 * np.sqrt(variance / len(draws))
        assert np.abs(x.var(axis=0) / variance - 1).max() < 0.15
        # rows are independent of each other
        if x.ndim == 3:
            assert abs(np.corrcoef(x[:, 0, 0], x[:, 1, 0])[0, 1]) < 4.5 / np.sqrt(len(draws))


@pytest.mark.parametrize("alpha", [0.01, 0.5, 1.0, 4.0])
def test_logarithms_of_gamma_draws(alpha):
    """Kolmogorov-Smirnov where the draw can be represented, and the moments of the logarithm, which
    never underflows.
    """
    x = draw_log_gamma(np.full(20_000, alpha), generator(6, "gamma", alpha))
    assert np.isfinite(x).all()
    assert abs(x.mean() - digamma(alpha)) < 4 * np.sqrt(polygamma(1, alpha) / len(x))
    assert x.var() == pytest.approx(polygamma(1, alpha), rel=0.08)
    if alpha >= 0.5:
        assert stats.kstest(np.exp(x), stats.gamma(alpha).cdf).pvalue > 1e-3
    mixed = (
        draw_log_gamma(np.array([0.5, 50.0] * 2000), generator(7, "gamma"))
        .reshape(-1, 2)
        .mean(axis=0)
    )
    assert mixed == pytest.approx(digamma([0.5, 50.0]), abs=0.15)
