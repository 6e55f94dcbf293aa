"""Tables of many variables, whose products leave the range of doubles, against EM and variational
Bayesian EM written plainly with logarithms; and what is refused for them.
"""

from dataclasses import replace

import numpy as np
import oracles
import pytest
from scipy.special import logsumexp

from latentdag import Family, Prior, Structure, effective_dimension, fit, score
from latentdag.data.counts import MISSING, Counts, cell_counts
from latentdag.engine.cells import expected_counts_alone, log_likelihoods, rows_of, scratch_for
from latentdag.engine.simd import LANES
from latentdag.inference import slots
from latentdag.inference.slots import Kernel
from latentdag.model import dimension
from latentdag.ranking.trust import choose
from latentdag.scores.base import Task

N, J, ALPHA = 40, 700, 0.7


def table(seed=0, n=N, n_variables=J, missing=0.02):
    """Codes of two classes, every third variable with three values, and which values are seen."""
    rng = np.random.default_rng(seed)
    cardinalities = np.where(np.arange(n_variables) % 3, 2, 3)
    p = rng.dirichlet(np.ones(3), (2, n_variables))
    p[:, cardinalities == 2, 2] = 0
    p /= p.sum(axis=2, keepdims=True)
    drawn = rng.random((n, n_variables, 1)) > np.cumsum(p, axis=2)[rng.integers(2, size=n)]
    codes = np.minimum(drawn.sum(axis=2), cardinalities - 1)
    codes[rng.random(codes.shape) < missing] = MISSING
    return codes, Family((2,), tuple(cardinalities.tolist()))


def classes(family):
    return Structure(((0,),) * len(family.observed), family)


def plain_fits(n, step, objective):
    """The best objective of the fixed points that random responsibilities (n, 2) lead to; ``step``
    gives logarithms of the next ones, up to a constant for each case.
    """
    values = []
    for seed in range(6):
        q = np.random.default_rng(seed).dirichlet(np.ones(2), n)
        for _ in range(200):
            log_q = step(q)
            new = np.exp(log_q - logsumexp(log_q, axis=1, keepdims=True))
            if np.abs(new - q).max() < 1e-15:
                break
            q = new
        values.append(objective(q))
    return max(values)


def plain_em(codes, family, alpha):
    """The ln likelihood at the best of the maxima of it, or of the posterior for ``alpha`` > 0."""
    model = oracles.FreeBound(classes(family), codes, np.ones(len(codes)), 1.0, 1.0)
    rows = [slice(first, first + k) for first, k in model.blocks.items()]

    def log_theta(q):
        mass = np.einsum("pch,ch->p", model.design, q) + alpha
        with np.errstate(divide="ignore"):
            return np.log(np.concatenate([mass[row] / mass[row].sum() for row in rows]))

    def log_joint(x):
        return np.einsum("pch,p->ch", model.design, np.maximum(x, -1e6))

    def objective(q):
        x = log_theta(q)
        value = logsumexp(log_joint(x), axis=1).sum()
        return value + (alpha * x.sum() if alpha else 0.0), value

    return plain_fits(len(codes), lambda q: log_joint(log_theta(q)), objective)[1]


def plain_vb(codes, family, alpha):
    """The largest bound F."""
    bound = oracles.FreeBound(classes(family), codes, np.ones(len(codes)), alpha, alpha)

    def step(q):
        return bound(q)[1] + np.log(np.maximum(q, 1e-300))

    return plain_fits(len(codes), step, lambda q: bound(q)[0])


def test_likelihood_and_bound_are_those_of_plain_logarithms():
    codes, family = table()
    cases = np.where(codes == MISSING, np.nan, codes)
    expected = {
        "ml": plain_em(codes, family, 0.0),
        "map": plain_em(codes, family, ALPHA),
        "vb": plain_vb(codes, family, ALPHA),
    }
    assert expected["ml"] < -745 * 20  # each case is far below the smallest double
    scores = {m: score(cases, classes(family), m, alpha=ALPHA) for m in expected}
    assert {m: s.score for m, s in scores.items()} == pytest.approx(expected, abs=1e-8, rel=0)
    assert all(s.converged for s in scores.values())
    # one batch of cases, and no two causes: the same bound
    for method in ("vb_online", "vb_mf"):
        value = score(cases, classes(family), method, alpha=ALPHA).score
        assert value == pytest.approx(expected["vb"], abs=1e-6)


def test_a_variable_of_many_values_has_the_bound_of_plain_logarithms():
    """The product of Gamma ratios over its 150 values, each with few cases, leaves the range of
    doubles.
    """
    rng = np.random.default_rng(2)
    group = rng.integers(2, size=600)
    many = np.append(rng.integers(150, size=599), 149)
    codes = np.column_stack([many, *(np.where(rng.random((2, 600)) < 0.9, group, 1 - group))])
    family = Family((2,), (150, 2, 2))
    expected = plain_vb(codes, family, ALPHA)
    result = score(codes, classes(family), "vb", alpha=ALPHA)
    assert result.score == pytest.approx(expected, abs=1e-6, rel=0)


def test_a_fit_has_the_likelihood_of_plain_logarithms():
    codes, family = table(missing=0.0)
    fitted = fit(codes, classes(family))
    assert fitted.log_likelihood == pytest.approx(plain_em(codes, family, 0.0), abs=1e-8)
    # where the probability of a case itself is no number
    codes, family = table(n=5, n_variables=3000)
    parameters = oracles.random_parameters(classes(family), np.random.default_rng(1))
    of_codes = replace(
        fitted, structure=classes(family), parameters=parameters, counts=cell_counts(codes, family)
    )
    assert of_codes.log_probabilities.max() < -745 and of_codes.log_likelihood > -np.inf
    assert of_codes.memberships.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize(("hidden", "parents"), [((2, 2), (0, 1)), ((3,), (0,)), ((2, 3), (1,))])
def test_likelihood_and_expected_counts_at_any_weights(hidden, parents):
    """Halves of the variables may speak for opposite states, by far more than doubles hold."""
    codes, family = table(seed=3, n=25)
    structure = Structure((tuple(range(len(hidden))), *(parents,) * (J - 1)),
                          Family(hidden, family.observed))  # fmt: skip
    kernel = Kernel([structure], cell_counts(codes, structure.family))
    rng = np.random.default_rng(4)
    x = rng.normal(scale=4, size=(3, kernel.n_coordinates[0]))
    log_weights = np.array([kernel.log_normalise(kernel.expand(0, logs)) for logs in x])
    n_observed = sum(family.observed)
    for logs in log_weights:  # the first variables for the first state, the last ones for the last
        logs[0, : n_observed // 2] += 5
        logs[-1, n_observed // 2 : n_observed] += 5
    patterns = kernel.patterns
    columns = np.where(patterns == MISSING, kernel.n_columns, patterns + kernel.first[:J])
    padded = np.pad(log_weights, ((0, 0), (0, 0), (0, 1)))
    of_states = np.take_along_axis(
        log_weights.reshape(3, -1), kernel.state_slots.reshape(1, -1), axis=1
    ).reshape(3, len(hidden), -1).sum(axis=1)  # fmt: skip
    joint = padded[:, :, columns].sum(axis=3) + of_states[:, :, None]  # (3, H, cells)
    log_p = logsumexp(joint, axis=1)
    values, counts = kernel.batch(np.zeros(3, int)).completions(np.exp(log_weights))
    assert values == pytest.approx(log_p @ kernel.counts, rel=1e-13)
    weight = np.exp(joint - log_p[:, None]) * kernel.counts
    expected = np.zeros((3, kernel.n_states, kernel.n_columns + 1))
    for j in range(J):
        for cell in range(len(patterns)):
            expected[:, :, columns[cell, j]] += weight[:, :, cell]
    assert counts[:, :, :n_observed] == pytest.approx(expected[:, :, :n_observed], abs=1e-9)


@pytest.mark.parametrize("label", ["1-12-12-2", "12-12-12-12"])
def test_what_is_scaled_is_what_is_not(label, monkeypatch):
    """Of one structure all three loops over cells; where each lane has data of its own, too."""
    structure = Structure.from_label(label)
    rng = np.random.default_rng(5)
    data = [cell_counts(rng.integers(5, size=(n, 4)), structure.family) for n in (30, 90, 200)]

    def evaluate():
        kernels = [Kernel([structure], counts_of_cells) for counts_of_cells in data]
        kernel = kernels[0]
        theta = np.random.default_rng(6).dirichlet(np.ones(5), (1, kernel.n_coordinates[0], LANES))
        theta = np.ascontiguousarray(theta[..., 0])
        cells, counts = kernel.cells_of(0), np.empty(theta[0].shape)
        lanes = kernel.cells_of_lanes(0, [kernels[k % 3] for k in range(LANES)])
        expected_counts_alone(theta[0], cells, rows_of(cells), scratch_for(cells), counts)
        return kernel.scaled, log_likelihoods(theta, cells), log_likelihoods(theta, lanes), counts

    plain = evaluate()
    monkeypatch.setattr(slots, "MOST_FACTORS", 0)
    scaled = evaluate()
    assert (plain[0], scaled[0]) == (False, True)
    for a, b in zip(plain[1:], scaled[1:], strict=True):
        assert b == pytest.approx(a, rel=1e-12)


def test_weights_that_are_no_numbers_are_no_likelihood():
    codes, family = table(n=5)
    kernel = Kernel([classes(family)], cell_counts(codes, family))
    weights = np.full((3, kernel.n_states, kernel.n_columns), 0.5)
    weights[1, 0, 0], weights[2, 1, 7] = np.nan, np.inf
    values = kernel.batch(np.zeros(3, int)).log_likelihood(weights)
    assert np.isfinite(values).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("method", "n", "n_variables", "limit"),
    [
        ("ais", N, J, "at most 64 observed variables; there are 700"),
        ("tempered_smc", N, J, "at most 64 observed variables; there are 700"),
        ("reference", N, J, "at most 183 observed variables with causes where there are 40 cases"),
        ("laplace", 4000, 1300, "of at most 5,000 probabilities; there are 5,202"),
        ("vb_mix", 4000, 1300, "there are 4,000 cases of 1,300 values in 2 states"),
    ],
)
def test_what_cannot_be_done_is_refused(method, n, n_variables, limit, monkeypatch):
    """For want of memory or of range; a score that can be computed is chosen."""
    cases = np.random.default_rng(0).integers(2, size=(n, n_variables))
    family = Family((2,), (2,) * n_variables)
    monkeypatch.delattr(Kernel, "__init__")  # no work begins
    with pytest.raises(ValueError, match=limit):
        score(cases, classes(family), method)
    if n == 4000:
        assert choose(Counts.of(cases), [family], 1)[0] == "vb"


def full_dimension(structure):
    """As `effective_dimension`, without leaving out variables."""
    left = structure.absorbed().without_childless()
    observed = tuple(sorted(zip(left.parents, left.family.observed, strict=True)))
    each = (dimension._dimension(p, left.family.hidden, observed) for p in dimension.PRIMES)
    return max(each)


@pytest.mark.parametrize(
    ("hidden", "label"),
    [
        ((2, 2), "1-1" + "-2" * 24),  # the first cause is not identified
        ((2, 2), "1-1" + "-2-12" * 14),
        ((2, 3), "1-1-2" + "-2" * 24),
        ((4,), "1" + "-1" * 25),
        ((2, 2), "12" + "-12" * 19),
    ],
)
def test_the_dimension_of_many_variables_rests_on_few(hidden, label):
    observed = tuple(2 + j % 2 for j in range(label.count("-") + 1))
    structure = Structure.from_label(label, Family(hidden, observed))
    assert effective_dimension(structure) == full_dimension(structure)


def test_the_dimension_of_thousands_of_variables():
    structure = classes(Family((2,), (2,) * 4000))
    assert effective_dimension(structure) == structure.n_parameters == 8001


def test_the_prior_of_a_start_reaches_all_weights():
    """A floor that keeps products in range would flatten each weight of many."""
    codes, family = table()
    kernel = Kernel([classes(family)], cell_counts(codes, family))
    start = Task([classes(family)], codes, Prior(0.3)).start(kernel, [classes(family)])
    weights = np.exp(start(0, 0))
    assert weights[:, :3].sum(axis=1) == pytest.approx(1.0)
