"""Draws from the posterior of parameters: exact means, closed forms, names of states, coverage."""

from itertools import product
from math import exp

import numpy as np
import oracles
import pytest
from scipy.stats import beta, binom, chisquare

from latentdag import Family, Parameters, Prior, Structure, estimate, score, simulate
from latentdag.analysis.posterior_draws import posterior_draws
from latentdag.model.parameters import draw_parameters

pytestmark = pytest.mark.slow

FAMILY = Family((2, 2), (2, 3, 2))
HOW = {"alpha": 0.7, "alpha_hidden": 1.6}
PRIOR = Prior(**HOW)


def cases_of(family, n, seed):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, k, n) for k in family.observed])


@pytest.mark.parametrize(
    ("label", "family", "missing"),
    [
        ("1-12-2", FAMILY, ()),
        ("12-1-12", Family((2, 3), (2, 3, 2)), ()),
        ("1-12-2", FAMILY, ((0, 1), (3, 1), (3, 2), (5, 0))),
    ],
)
def test_predictions_are_ratios_of_evidences(label, family, missing):
    """The posterior mean of p(cell given theta) is p(cases and one more of that cell) over
    p(cases), that of its square has two more, all by enumeration. It does not depend on how states
    are named; a missing value says nothing.
    """
    structure = Structure.from_label(label, family)
    cases = cases_of(family, 6, 1).astype(float)
    for place in missing:
        cases[place] = np.nan
    posterior = posterior_draws(cases, structure, **HOW, draws=2000)
    theta = posterior.theta.reshape(-1, posterior.theta.shape[-1])
    parameters = [posterior.parameters(values) for values in theta[::4]]
    p = np.array([oracles.cell_probabilities(posterior.structure, each) for each in parameters])
    before, z = score(cases, structure, "exact", **HOW).score, []
    for cell, more in product(product(*map(range, family.observed)), (1, 2)):
        after = score(np.vstack([cases, *[cell] * more]), structure, "exact", **HOW).score
        batches = (p[(slice(None), *cell)] ** more).reshape(40, -1).mean(axis=1)
        z.append((batches.mean() - exp(after - before)) / (batches.std(ddof=1) / np.sqrt(40)))
    assert np.abs(z).max() < 4.5


def test_without_hidden_causes_the_posterior_is_dirichlet():
    family = Family((2,), (2, 3))
    structure = Structure.from_label("0-0", family)
    cases = cases_of(family, 40, 2)
    posterior = posterior_draws(cases, structure, **HOW, draws=5000)
    assert posterior.structure.family.hidden == ()
    low, high = posterior.interval(0.8)
    number = posterior.effective_draws()
    for j, k in enumerate(family.observed):
        counts = np.bincount(cases[:, j], minlength=k) + 0.7
        total = counts.sum()
        assert posterior.mean().observed[j][0] == pytest.approx(counts / total, abs=0.003)
        expected = [beta.ppf(q, counts, total - counts) for q in (0.1, 0.9)]
        assert low.observed[j][0] == pytest.approx(expected[0], abs=0.006)
        assert high.observed[j][0] == pytest.approx(expected[1], abs=0.006)
        # the draws are independent, and four chains of 10 batches tell their number roughly
        assert (number.observed[j] > 20000 / 3).all()


def relabelled(structure, parameters):
    """Every way to name the states, and the causes with the same children and as many states."""
    parts = parameters.hidden, oracles.tables(structure, parameters)
    for names in oracles.relabellings(structure):
        hidden, tables = oracles.image(structure, *parts, *names)
        yield Parameters(tuple(hidden), tuple(t.reshape(-1, t.shape[-1]) for t in tables))


def flat(tables):
    return np.concatenate([np.ravel(table) for table in tables])


def agreement_with(structure, mode, cases):
    """ln p of the completion that the mode expects, as a function of the parameters."""
    hidden, observed = oracles.expected_counts(structure, mode, cases)
    counts = flat([*hidden, *observed])
    return lambda p: counts @ np.log(flat([*p.hidden, *p.observed]))


@pytest.mark.parametrize(
    ("label", "family"), [("1-12-2", FAMILY), ("1-1-1", Family((3,), (2, 3, 2)))]
)
def test_every_draw_is_named_as_agrees_best(label, family):
    """No other names make the completion that the MAP estimate expects more probable; so few cases
    leave the states open, that many draws were named otherwise.
    """
    structure = Structure.from_label(label, family)
    cases = cases_of(family, 12, 3)
    posterior = posterior_draws(cases, structure, **HOW, draws=30, chains=2)
    reduced, mode = estimate(cases, structure, "map", **HOW)
    agreement = agreement_with(reduced, mode, cases)
    for values in posterior.theta.reshape(-1, posterior.theta.shape[-1]):
        draw = posterior.parameters(values)
        others = [agreement(p) for p in relabelled(reduced, draw)]
        assert agreement(draw) == pytest.approx(max(others))


def test_states_are_named_as_those_of_other_parameters():
    structure = Structure.from_label("1-1-1", Family((2,), (3, 3, 3)))
    rng = np.random.default_rng(4)
    truth = oracles.random_parameters(structure, rng)
    truth.observed[2][0] = 0.0, 0.5, 0.5  # an estimate may lie on the boundary
    cases, _ = simulate(structure, truth, 3000, rng)
    for order in ([0, 1], [1, 0]):
        like = Parameters((truth.hidden[0][order],), tuple(r[order] for r in truth.observed))
        mean = posterior_draws(cases, structure, like=like, draws=200).mean()
        assert mean.hidden[0] == pytest.approx(like.hidden[0], abs=0.1)
        assert mean.observed[1] == pytest.approx(like.observed[1], abs=0.1)


@pytest.mark.weekly
def test_intervals_cover_as_they_say():
    """Truths from the prior (simulation-based calibration; Talts et al. 2018, arXiv:1804.06788):
    where a truth, named like the draws, stands among independent draws is uniform.
    """
    structure = Structure.from_label("1-1-1", Family((2,), (2, 3, 2)))
    ranks, inside = [], 0
    n_studies, kept = 150, 18
    for study in range(n_studies):
        rng = np.random.default_rng([5, study])
        truth = draw_parameters(structure, PRIOR, rng)
        cases, _ = simulate(structure, truth, 60, rng)
        posterior = posterior_draws(cases, structure, **HOW, draws=360, chains=2, seed=study,
                                restarts=4)  # fmt: skip
        _, mode = estimate(cases, structure, "map", **HOW, seed=study, restarts=4)
        named = max(relabelled(structure, truth), key=agreement_with(structure, mode, cases))
        draws = [posterior.parameters(v) for v in posterior.theta[:, 39::40].reshape(kept, -1)]
        each = np.array([[d.hidden[0][0], d.observed[1][1, 2]] for d in draws])
        ranks.append((each < [named.hidden[0][0], named.observed[1][1, 2]]).sum(axis=0))
        low, high = posterior.interval()
        inside += low.observed[2][0, 1] < named.observed[2][0, 1] < high.observed[2][0, 1]
    for of_one in np.array(ranks).T:
        counts = np.bincount(of_one, minlength=kept + 1)
        assert chisquare(counts).pvalue > 1e-3
    assert 1e-3 < binom.cdf(inside, n_studies, 0.9) < 1 - 1e-3


def test_cost_does_not_grow_with_the_cases_and_streams_are_named():
    structure = Structure.from_label("1-1-2", FAMILY)
    cases = cases_of(FAMILY, 20, 6)

    def theta(rows=cases, seed=3, **settings):
        return posterior_draws(rows, structure, draws=20, seed=seed, **settings).theta

    first, again, other, fewer = theta(), theta(cases[::-1]), theta(seed=4), theta(chains=2)
    assert np.array_equal(first, again) and np.array_equal(first[:2], fewer)
    assert not np.isclose(first, other).any() and not np.isclose(first[0], first[1]).any()
    np.testing.assert_allclose(first.sum(axis=-1), 3 * 2 + 2)  # rows, each of which sums to 1


def test_effective_draws_by_batches():
    """Ten batches of each of two chains, without what does not fill them, the first three draws."""
    structure = Structure.from_label("0-0-0", FAMILY)
    posterior = posterior_draws(cases_of(FAMILY, 9, 7), structure, chains=2, draws=43)
    posterior.log_theta[..., 0] = -700  # as good as constant
    effective = np.concatenate([rows[0] for rows in posterior.effective_draws().observed])
    for value, of_one in zip(effective, np.moveaxis(posterior.theta[:, 3:], -1, 0), strict=True):
        means = [np.mean(chain[b : b + 4]) for chain in of_one for b in range(0, 40, 4)]
        spread = np.var(means, ddof=1)
        independent = of_one.var() / spread * 20 if spread else 2 * 43
        assert value == pytest.approx(min(independent, 2 * 43))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"draws": 1}, "draws must be at least 20, got 1"),
        ({"chains": 1}, "chains must be at least 2, got 1"),
        ({"alpha": 0}, "alpha must lie from"),
        ({"hits": 0}, "hits"),
        ({}, "have 362880 relabellings, and at most 50000"),
    ],
)
def test_what_is_refused(settings, words):
    """Also a cause whose nine states have too many relabellings."""
    family = FAMILY if settings else Family((9,), (2, 2, 2))
    with pytest.raises(ValueError, match=words):
        posterior_draws(cases_of(family, 5, 9), Structure.from_label("1-1-1", family), **settings)
