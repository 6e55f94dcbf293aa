"""The best point of EM and of variational EM against direct maximisation of an objective written
independently.
"""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, score
from latentdag.data.counts import cell_counts

pytestmark = pytest.mark.slow

SMALL = Family((2,), (3, 2, 3))
TWO = Family((2, 2), (2, 3, 2))
UNEQUAL = Family((2, 3), (2, 3))


def small_data(family, n=25, seed=0):
    """Cases with real dependence, from a random table of a few cells."""
    rng = np.random.default_rng(seed)
    few = np.column_stack([rng.integers(k, size=5) for k in family.observed])
    return np.vstack(
        [
            few[rng.integers(5, size=n - 5)],
            np.column_stack([rng.integers(k, size=5) for k in family.observed]),
        ]
    )


@pytest.mark.parametrize(
    ("family", "label", "alpha", "alpha_hidden"),
    [
        (SMALL, "1-1-1", 1.0, None),
        (SMALL, "1-0-1", 0.5, 2.0),
        (TWO, "12-2-1", 1.0, None),
        (UNEQUAL, "12-2", 1.5, 0.6),
    ],
)
def test_map_and_cs_at_the_best_of_many_newton_optima(family, label, alpha, alpha_hidden):
    s, cases = Structure.from_label(label, family), small_data(family)
    counts = cell_counts(cases, family).table(family)
    objective = oracles.PointObjective(s, counts, alpha, alpha_hidden)
    rng = np.random.default_rng(1)
    optima = [objective.ascend(rng.normal(scale=2, size=objective.size)) for _ in range(40)]
    best = objective.newton(max(optima, key=lambda x: objective(x)[0]))
    assert np.abs(objective(best)[1]).max() < 1e-8
    settings = {"alpha": alpha, "alpha_hidden": alpha_hidden, "restarts": 48}
    r = score(cases, s, "map", **settings)
    assert r.score == pytest.approx(objective.log_likelihood(best), abs=1e-6)
    expected = objective.cheeseman_stutz(
        best, alpha, alpha if alpha_hidden is None else alpha_hidden
    )
    assert score(cases, s, "cs", **settings).score == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("family", "label"), [(SMALL, "1-1-1"), (SMALL, "1-1-0"), (TWO, "12-2-1")])
def test_ml_at_the_best_of_many_direct_optima(family, label):
    s, cases = Structure.from_label(label, family), small_data(family)
    objective = oracles.PointObjective(s, cell_counts(cases, family).table(family), 0.0)
    rng = np.random.default_rng(2)
    best = max(
        objective(objective.ascend(rng.normal(scale=2, size=objective.size)))[0] for _ in range(15)
    )
    # SciPy approaches the boundary from within
    assert -1e-6 < score(cases, s, "ml", restarts=96).score - best < 1e-4


@pytest.mark.parametrize(
    ("family", "label", "alpha", "alpha_hidden", "n"),
    [
        (SMALL, "1-1-1", 1.0, 1.0, 12),
        (SMALL, "1-1-1", 0.5, 2.0, 9),
        (UNEQUAL, "1-2", 1.0, 0.5, 8),
        (TWO, "12-2-1", 0.8, 0.8, 7),
    ],
)
def test_vb_at_the_best_bound_over_all_distributions_of_the_hidden_states(
    family, label, alpha, alpha_hidden, n
):
    """q(s) is left entirely free, jointly for all hidden variables of a case: nothing of the
    package's form of it is assumed.
    """
    s, cases = Structure.from_label(label, family), small_data(family, n, seed=3)
    cells, numbers = np.unique(cases, axis=0, return_counts=True)
    best = oracles.FreeBound(s, cells, numbers, alpha, alpha_hidden).best(
        np.random.default_rng(4), starts=30
    )
    assert score(
        cases, s, "vb", alpha=alpha, alpha_hidden=alpha_hidden, restarts=48
    ).score == pytest.approx(best, abs=2e-6)
