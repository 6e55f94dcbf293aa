"""The best point of EM and of variational EM against direct maximisation of an objective written
independently.
"""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, score

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
