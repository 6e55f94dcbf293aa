"""The effective dimension, against known ones and the singular values of a plain Jacobian."""

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, effective_dimension, enumerate_structures, score_structures
from latentdag.model.parameters import cell_probabilities

pytestmark = pytest.mark.slow

FAMILIES = [
    Family((2, 3), (3, 2, 4)),
    Family((3, 2), (2, 6, 7)),  # more values than any variable has configurations of its parents
    Family((2, 2, 2), (2, 3, 2)),
    Family((4,), (2, 2, 3)),  # more classes than a table needs
    Family((2, 2), (2, 2, 2, 2)),
    Family((), (3, 2)),
]


def of(label, hidden, observed):
    return effective_dimension(Structure.from_label(label, Family(hidden, observed)))


def jacobian(structure, rng):
    """Derivatives of all cells by all free parameters, (cells, parameters), at a random point.

    A cell's probability is linear in every single parameter: a difference over a step of any length
    is the derivative.
    """
    point = oracles.random_parameters(structure, rng)
    start, columns = cell_probabilities(structure, point), []
    for table in (*point.hidden, *point.observed):
        for row in np.atleast_2d(table):
            for value in range(len(row) - 1):
                row[[value, -1]] += (1, -1)
                columns.append(cell_probabilities(structure, point) - start)
                row[[value, -1]] -= (1, -1)
    return np.array(columns).reshape(len(columns), -1).T


def rank_by_singular_values(structure):
    """The number of singular values before the largest gap, which must be a clear one.

    At a point where no probability is small the numbers that are zero but for rounding lie below
    1e-13 of the largest, and the others far above.
    """
    values = np.linalg.svd(jacobian(structure, np.random.default_rng(4)), compute_uv=False)
    values = np.append(values, 0) / values[0] + 1e-16
    rank = int(np.argmax(values[:-1] / values[1:])) + 1
    assert values[rank - 1] / values[rank] > 1e5
    return rank


@pytest.mark.parametrize("family", [Family(), *FAMILIES], ids=str)
def test_all_structures_against_singular_values(family):
    for s in enumerate_structures(family):
        assert effective_dimension(s) == rank_by_singular_values(s), s.label


@pytest.mark.parametrize("items", range(2, 8))
@pytest.mark.parametrize("classes", range(2, 7))
def test_latent_class_models_of_binary_items(items, classes):
    """As many dimensions as parameters or cells allow (Catalisano, Geramita & Gimigliano 2011, J.
    Algebraic Geom. 20, 295-327), but for three classes of four items: 13, not 14 (Goodman 1974).
    """
    expected = min(classes * (items + 1) - 1, 2**items - 1)
    if (items, classes) == (4, 3):
        expected = 13
    assert of("-".join("1" * items), (classes,), (2,) * items) == expected


@pytest.mark.parametrize("class_", ["0-0-0-0", "1-1-1-1", "0-0-1-1", "0-1-1-1", "1-0-1-0"])
def test_equal_best_likelihoods_within_a_class(cases, class_):
    """Members describe the same distributions, so the best of them is as good in each."""
    members = [s for s in enumerate_structures() if s.absorbed().label == class_]
    assert len(members) >= 5
    fits = score_structures(cases[:480], members, "ml", restarts=16, hits=16)
    best = [fit.score for fit in fits]
    assert max(best) - min(best) < 1e-3
