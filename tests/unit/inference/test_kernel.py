"""The compiled kernel against plain sums over hidden states."""

import numpy as np
import oracles
import pytest
from small import FULL, make

from latentdag import Family, Parameters, Prior, Structure
from latentdag.data.counts import Counts
from latentdag.engine.cells import log_likelihoods
from latentdag.engine.simd import LANES
from latentdag.inference.em.vbem import bound
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import cell_probabilities

IDS = [f"{family.hidden}x{family.observed} {label}" for family, label in FULL]
everything = pytest.mark.parametrize(("family", "label"), FULL, ids=IDS)


@everything
@pytest.mark.parametrize(("lowest", "missing"), [(1.0, 0.0), (0.2, 0.0), (0.2, 0.3)])
def test_log_likelihood_and_expected_counts(family, label, lowest, missing):
    """Weights need not be normalised: those of VBEM are not."""
    s, cases, kernel, parameters = make(family, label, missing=missing)
    rng = np.random.default_rng(2)
    parameters = Parameters(
        tuple(p * rng.uniform(lowest, 1, p.shape) for p in parameters.hidden),
        tuple(p * rng.uniform(lowest, 1, p.shape) for p in parameters.observed),
    )
    weights = kernel.pack(0, parameters)[None]
    value, counts = kernel.batch([0]).expected_counts(weights)
    expected = oracles.log_likelihood(s, parameters, cases)
    assert value[0] == pytest.approx(expected, rel=1e-12)
    assert kernel.batch([0]).log_likelihood(weights)[0] == pytest.approx(expected, rel=1e-12)
    expected = oracles.as_slots(s, *oracles.expected_counts(s, parameters, cases))
    assert np.allclose(counts[0], expected, rtol=1e-11, atol=1e-13)


@everything
@pytest.mark.parametrize("prior", [Prior(0.7, 1.9), Prior(1e3, 0.2), Prior(1e12, 1e8)], ids=str)
def test_log_prior_is_the_density_of_the_logits(family, label, prior):
    """At a point that the prior makes likely, and at its peak."""
    s, _, kernel, _ = make(family, label)
    rng = np.random.default_rng(0)
    alpha = kernel.prior_slots(prior)
    for strength in (min(prior.alpha, prior.alpha_hidden), np.inf):
        p = oracles.random_parameters(s, rng, min(strength, 1e300))
        expected = sum(oracles.log_dirichlet_of_logits(t, prior.alpha_hidden) for t in p.hidden)
        for table in p.observed:
            expected += sum(oracles.log_dirichlet_of_logits(t, prior.alpha) for t in table)
        value = kernel.batch([0]).log_prior(np.log(kernel.pack(0, p))[None], alpha)[0]
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@everything
@pytest.mark.parametrize(
    "prior", [Prior(0.6, 1.7), Prior(30, 1e5), Prior(1e8, 0.3), Prior(1e12)], ids=str
)
def test_variational_bound(family, label, prior):
    """F at any weights: entropy of q(s), and the Dirichlet-multinomial terms of the expected counts
    to 40 digits; and the parameters of q(theta).
    """
    s, cases, kernel, parameters = make(family, label)
    batch, weights = kernel.batch([0]), np.log(kernel.pack(0, parameters))[None]
    value, u, sums = bound(batch, weights, kernel.prior_slots(prior))
    q = np.array([oracles.joint(s, parameters, tuple(c)) for c in cases])
    q /= q.sum(axis=1, keepdims=True)
    expected = -np.sum(q * np.log(q))
    hidden, observed = oracles.expected_counts(s, parameters, cases)
    for counts in hidden:
        expected += oracles.log_dirichlet_multinomial(counts, prior.alpha_hidden)
    for counts in observed:
        for row in counts.reshape(-1, counts.shape[-1]):
            expected += oracles.log_dirichlet_multinomial(row, prior.alpha)
    assert value[0] == pytest.approx(expected, abs=1e-11)
    mass = [c + prior.alpha_hidden for c in hidden], [c + prior.alpha for c in observed]
    assert np.allclose(u[0], oracles.as_slots(s, *mass), atol=1e-11)
    assert np.allclose(batch.spread(sums), batch.spread(batch.row_sums(u)))


@everything
def test_a_million_million_cases_in_a_cell(family, label):
    """Counts far beyond single precision, and beyond 32 bits."""
    s, _, kernel, parameters = make(family, label)
    counts = np.zeros(family.n_cells)
    counts[[0, -1]] = 10**12, 3
    kernel = Kernel([s], Counts.of_table(counts.reshape(family.observed)))
    slots = kernel.pack(0, parameters)[None]
    p = oracles.cell_probabilities(s, parameters).ravel()
    expected = counts[0] * np.log(p[0]) + counts[-1] * np.log(p[-1])
    value, _ = kernel.batch([0]).expected_counts(slots)
    assert value[0] == pytest.approx(expected, rel=1e-13)
    assert kernel.batch([0]).log_likelihood(slots)[0] == value[0]


def test_thousands_of_cells_that_occur_once():
    """The product of their mantissas is taken in parts: of all of them it would be infinite."""
    family = Family((2,), (8, 8, 8, 8))
    s = Structure.from_label("1-1-0-1", family)
    parameters = oracles.random_parameters(s, np.random.default_rng(8), 1e3)
    kernel = Kernel([s], Counts.of_table(np.ones(family.observed)))
    slots = kernel.pack(0, parameters)
    p = cell_probabilities(s, parameters)
    assert np.sum(np.log(np.frexp(p)[0] * 2)) > np.log(np.finfo(float).max)
    expected = pytest.approx(np.log(p).sum(), rel=1e-13)
    assert kernel.batch([0]).log_likelihood(slots[None])[0] == expected
    lanes = kernel.cells_of_lanes(0, [kernel] * LANES)
    theta = np.repeat(kernel.untie(0, slots)[None, :, None], LANES, axis=2)
    assert log_likelihoods(theta, lanes)[0].tolist() == [expected] * LANES


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (0.0, -np.inf),
        (1e-320, -np.inf),
        (3e-308, np.log(3e-308)),
        (np.nan, np.nan),
        (np.inf, np.nan),
    ],
)
def test_a_probability_that_is_no_normal_number(first, expected):
    """0 and subnormal numbers count as 0; infinity and nan give nan: in that lane alone."""
    family = Family((), (3,))
    kernel = Kernel([Structure.from_label("0", family)], Counts.of_table(np.array([1.0, 2.0, 0.0])))
    weights = np.array([[[0.2, 0.5, np.nan]], [[first, 1.0, 0.3]], [[0.1, 0.5, 0.0]]])
    batch = kernel.batch([0, 0, 0])
    for values in (batch.log_likelihood(weights), batch.expected_counts(weights)[0]):
        assert values[[0, 2]] == pytest.approx(np.log([0.2 / 4, 0.1 / 4]), rel=1e-14)
        assert values[1] == pytest.approx(expected, rel=1e-14, nan_ok=True)
