"""The effective dimension, against known ones and the singular values of a plain Jacobian."""

import time
from collections import defaultdict
from functools import cache

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, effective_dimension, enumerate_structures, score
from latentdag.model import dimension as module
from latentdag.model.parameters import Parameters

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
    rows = [*(p[None] for p in point.hidden), *point.observed]

    def cells():
        hidden = tuple(r[0] for r in rows[: len(point.hidden)])
        observed = tuple(rows[len(point.hidden) :])
        return cells_of(structure, Parameters(hidden, observed))

    start, columns = cells(), []
    for table in rows:
        for row in table:
            for value in range(len(row) - 1):
                row[[value, -1]] += (1, -1)
                columns.append(cells() - start)
                row[[value, -1]] -= (1, -1)
    return np.array(columns).reshape(len(columns), -1).T


def cells_of(structure, parameters):
    """Cell probabilities as one sum of products over states."""
    n_hidden = len(structure.family.hidden)
    terms = []
    for i, p in enumerate(parameters.hidden):
        terms += [p, [i]]
    for j, (table, parents) in enumerate(
        zip(oracles.tables(structure, parameters), structure.parents, strict=True)
    ):
        terms += [table, [*parents, n_hidden + j]]
    return np.einsum(*terms, [n_hidden + j for j in range(len(structure.parents))], optimize=True)


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


def test_the_jacobian_of_this_test_is_right():
    structure = Structure.from_label("12-1-2", FAMILIES[0])
    point = oracles.random_parameters(structure, np.random.default_rng(1))
    expected = oracles.cell_probabilities(structure, point)
    assert cells_of(structure, point) == pytest.approx(expected)
    assert jacobian(structure, np.random.default_rng(1)).shape == (24, structure.n_parameters)


def test_all_136_against_singular_values():
    for s in enumerate_structures():
        assert effective_dimension(s) == rank_by_singular_values(s), s.label


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_other_families_against_singular_values(family):
    for s in enumerate_structures(family):
        assert effective_dimension(s) == rank_by_singular_values(s), s.label


@pytest.mark.parametrize(
    ("label", "dimension"),
    [
        ("0-0-0-0", 16),  # childless hidden variables add nothing
        ("0-0-1-1", 23),
        ("0-0-12-12", 31),
        ("1-12-12-2", 50),
        ("12-12-12-12", 66),
    ],
)
def test_structures_of_the_paper(label, dimension):
    assert effective_dimension(Structure.from_label(label)) == dimension


def test_classes_with_fewer_dimensions_than_parameters():
    classes = {s.absorbed() for s in enumerate_structures()}
    assert len(classes) == 78
    free = [s.without_childless().n_parameters for s in classes]
    fewer = [effective_dimension(s) < d for s, d in zip(classes, free, strict=True)]
    assert sum(fewer) == 57


@pytest.mark.parametrize("k", [2, 3, 4, 5, 9, 300])
def test_a_table_of_two_children_of_a_binary_cause(k):
    """K x K tables of rank 2: 2 x 2 K numbers in two factors, less the 4 of a change of basis
    between them, less 1 as they sum to one.
    """
    assert of("1-1", (2,), (k, k)) == 4 * k - 5


@pytest.mark.parametrize(("classes", "rows", "columns"), [(3, 5, 4), (3, 2, 9), (4, 7, 7)])
def test_a_table_of_two_children_of_any_cause(classes, rows, columns):
    """The rank is at most the number of classes, rows and columns."""
    r = min(classes, rows, columns)
    assert of("1-1", (classes,), (rows, columns)) == r * (rows + columns - r) - 1


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


def test_a_deficient_latent_class_model_of_three_items():
    """Four classes, 3 x 3 x 3: 25, one short of 26 cells and of 27 parameters (Strassen 1983,
    Linear Algebra Appl. 52, 645-685).
    """
    assert of("1-1-1", (4,), (3, 3, 3)) == 25
    assert of("1-1-1", (5,), (3, 3, 3)) == 26


@pytest.mark.parametrize("label", ["1-0-0-0", "1-1-2-0", "12-1-1-0", "1-12-1-1", "12-12-13-23"])
def test_a_cause_of_one_child_adds_nothing(label):
    """Nor does one without a child: as many dimensions without as with them, computed with them."""
    s = Structure.from_label(label, Family((2, 3, 3), (4, 5, 3, 3)))
    observed = tuple(zip(s.parents, s.family.observed, strict=True))
    assert module._dimension(s.family.hidden, observed) == effective_dimension(s)
    assert effective_dimension(s) == rank_by_singular_values(s)


def test_absorbing_changes_the_dimension_of_no_structure():
    for s in enumerate_structures():
        observed = tuple(zip(s.parents, s.family.observed, strict=True))
        assert module._dimension(s.family.hidden, observed) == effective_dimension(s.absorbed())


def test_equal_dimensions_within_a_class():
    """By singular values, which know nothing of classes."""
    classes = defaultdict(set)
    for s in enumerate_structures():
        classes[s.absorbed()].add(rank_by_singular_values(s))
    assert all(len(dimensions) == 1 for dimensions in classes.values())


@pytest.fixture(scope="module")
def best_likelihood(cases):
    """A function that fits a structure by its label, once."""

    @cache
    def fitted(label):
        fit = score(cases[:480], Structure.from_label(label), "ml", restarts=16, hits=16)
        assert fit.converged and fit.restarts_at_best >= 4
        return fit.score

    return fitted


@pytest.mark.parametrize("class_", ["0-0-0-0", "1-1-1-1", "0-0-1-1", "0-1-1-1", "1-0-1-0"])
def test_equal_best_likelihoods_within_a_class(best_likelihood, class_):
    """Members describe the same distributions, so the best of them is as good in each."""
    members = [s.label for s in enumerate_structures() if s.absorbed().label == class_]
    assert len(members) >= 5
    best = [best_likelihood(label) for label in members]
    assert max(best) - min(best) < 1e-3


def test_other_best_likelihoods_in_other_classes(best_likelihood):
    labels = ["0-0-0-0", "1-1-1-1", "0-0-1-1", "0-1-1-1", "1-0-1-0", "1-1-2-2", "0-1-0-1"]
    assert len({Structure.from_label(label).absorbed() for label in labels}) == len(labels)
    best = sorted(best_likelihood(label) for label in labels)
    assert np.diff(best).min() > 0.1


def test_order_of_the_observed_variables_and_names_of_the_hidden_ones():
    expected = rank_by_singular_values(
        Structure.from_label("1-12-12-2", Family((2, 3), (2, 3, 4, 5)))
    )
    assert of("1-12-12-2", (2, 3), (2, 3, 4, 5)) == expected
    assert of("2-12-12-1", (3, 2), (2, 3, 4, 5)) == expected
    assert of("12-2-1-12", (2, 3), (4, 5, 2, 3)) == expected


def test_a_rank_that_is_too_low_once_does_not_count(monkeypatch):
    """At an unlucky point the rank is too low: the other prime's counts."""
    lucky = module._dimension_modulo
    for unlucky in module.PRIMES:
        module._dimension.cache_clear()
        monkeypatch.setattr(
            module, "_dimension_modulo", lambda p, *a, u=unlucky: lucky(p, *a) - (p == u)
        )
        assert effective_dimension(Structure.from_label("1-12-12-2")) == 50
    module._dimension.cache_clear()


@pytest.mark.parametrize("prime", [2, 3, 101, *module.PRIMES])
def test_rank_modulo_a_prime(prime):
    """A product of two integer factors, made singular in a known way."""
    rng = np.random.default_rng(prime % 1000)
    for rows, columns, rank in [(7, 9, 4), (9, 7, 7), (6, 6, 1), (5, 3, 0)]:
        left = np.eye(rows, rank, dtype=object)
        right = np.eye(rank, columns, dtype=object)
        for j in range(rank):  # unit triangular factors keep the rank
            left[j + 1 :, j] = rng.integers(prime, size=rows - j - 1)
            right[j, j + 1 :] = rng.integers(prime, size=columns - j - 1)
        product = (left @ right) % prime if rank else np.zeros((rows, columns))
        product = product.astype(np.int64)[rng.permutation(rows)][:, rng.permutation(columns)]
        assert module._rank(product, prime) == rank
    assert module._rank(np.array([[prime, 1], [0, 2 * prime]]), prime) == 1


def test_primes():
    for prime in module.PRIMES:
        assert prime < 2**31
        assert all(prime % d for d in range(2, int(prime**0.5) + 1))
    assert len(set(module.PRIMES)) == 2


def test_cost():
    """Processor seconds, with room for a busy machine: 0.03 and 0.4 when it was written."""
    module._dimension.cache_clear()
    start = time.process_time()
    for s in enumerate_structures():
        effective_dimension(s)
    assert time.process_time() - start < 2
    start = time.process_time()  # a million cells, 435 parameters
    assert of("123-123-123-123-123-123", (2, 2, 2), (10,) * 6) == 435
    assert of("12-12", (2, 2), (1000, 1000)) == 4 * (2000 - 4) - 1
    assert time.process_time() - start < 8
