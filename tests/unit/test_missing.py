"""Missing values: every score against enumerations of what is missing, and what must not change."""

from itertools import pairwise, product
from math import log

import numpy as np
import oracles
import pytest
from scipy.special import gammaln, logsumexp

from latentdag import (
    METHODS,
    Counts,
    Family,
    Parameters,
    Prior,
    Structure,
    draw_parameters,
    estimate,
    fit,
    score,
    simulate,
)
from latentdag.data.counts import MISSING, cell_counts
from latentdag.inference.slots import Kernel
from latentdag.scores.exact import log_evidence

FAMILY = Family((2, 2), (2, 3, 2))
LABELS = ["0-0-0", "1-1-0", "1-1-1", "1-12-2", "12-12-12"]
PRIOR = Prior(0.7, 1.4)


def some_missing(structure, n, share, seed=0):
    """Cases from the prior as users give them, nan where a value is missing."""
    rng = np.random.default_rng(seed)
    cases, _ = simulate(structure, draw_parameters(structure, PRIOR, rng), n, rng)
    return np.where(rng.random(cases.shape) < share, np.nan, cases)


def coded(cases):
    return np.where(np.isnan(cases), MISSING, cases).astype(int)


def completions(cases, family):
    """Every way to fill in what is missing."""
    holes = np.argwhere(np.isnan(cases))
    for values in product(*(range(family.observed[j]) for _, j in holes)):
        filled = cases.copy()
        filled[tuple(holes.T)] = values
        yield filled.astype(int)


@pytest.mark.parametrize("label", LABELS)
def test_exact_is_the_sum_over_completions_of_the_missing_values_too(label):
    """Enumerated as complete tables, whose evidence has tests of its own."""
    structure = Structure.from_label(label, FAMILY)
    cases = some_missing(structure, 6, 0.3, seed=4)
    assert 2 <= np.isnan(cases).sum() <= 9
    filled = [log_evidence(own, [structure], PRIOR)[0] for own in completions(cases, FAMILY)]
    found = score(cases, structure, "exact", alpha=0.7, alpha_hidden=1.4).score
    assert found == pytest.approx(logsumexp(filled), abs=1e-10)


@pytest.mark.parametrize("label", LABELS)
def test_likelihood_and_expected_counts(label):
    """ln likelihood case by case, summed over what is missing; expected counts by Fisher's
    identity: the derivatives in the logarithms of the weights.
    """
    structure = Structure.from_label(label, FAMILY).without_childless()
    cases = some_missing(structure, 40, 0.3, seed=1)
    parameters = oracles.random_parameters(structure, np.random.default_rng(2))
    kernel = Kernel([structure], cell_counts(coded(cases), FAMILY))

    def expected(parameters):
        return sum(
            log(sum(oracles.joint(structure, parameters, tuple(own)).sum() for own in filled))
            for case in cases
            for filled in [[c[0] for c in completions(case[None], FAMILY)]]
        )

    slots = kernel.pack(0, parameters)[None]
    batch = kernel.batch([0])
    value, counts = batch.expected_counts(slots)
    assert value[0] == pytest.approx(expected(parameters), rel=1e-12)
    assert batch.log_likelihood(slots)[0] == value[0]
    flat = np.concatenate([rows.ravel() for rows in (*parameters.observed, *parameters.hidden)])
    step = 1e-5
    for d, own in enumerate(kernel.untie(0, counts[0])):
        values = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[d] *= np.exp(sign * step)
            slots = kernel.expand(0, moved)[None]
            values.append(batch.log_likelihood(slots)[0])
        # weights that do not sum to 1 over a missing value still have the factor 1 there
        assert own == pytest.approx((values[0] - values[1]) / (2 * step), abs=1e-5)


SUMS = ("map", "vb", "exact", "cs", "vb_mf", "vb_online", "cs_lr", "vb_lr")


@pytest.mark.parametrize("method", SUMS)
def test_a_variable_that_is_never_observed_is_as_if_it_were_not_there(method):
    """The prior of its table integrates to 1."""
    structure = Structure.from_label("1-1-12-2", Family((2, 2), (2, 3, 2, 2)))
    cases = some_missing(structure, 9, 0.15, seed=3)
    cases[:, 1] = np.nan
    without = Structure.from_label("1-12-2", Family((2, 2), (2, 2, 2)))
    settings = {"restarts": 40, "max_iterations": 3000}
    found = score(cases, structure, method, **settings)
    expected = score(np.delete(cases, 1, axis=1), without, method, **settings)
    assert found.score == pytest.approx(expected.score, abs=2e-6)


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("ais", "bridge")])
def test_deleting_nothing_changes_nothing(method):
    structure = Structure.from_label("1-12-2", FAMILY)
    cases = some_missing(structure, 8, 0.0, seed=5)
    whole = cases.astype(int)
    settings = {"restarts": 4, "particles": 4, "runs": 2}
    expected = score(whole, structure, method, **settings)
    if method != "vb_online":
        assert score(Counts.of(whole), structure, method, **settings) == expected
    assert score(cases, structure, method, **settings) == expected
    assert score(cases.astype(object), structure, method, **settings) == expected
    one_less = np.where(np.arange(24).reshape(8, 3) == 4, np.nan, cases)
    assert score(one_less, structure, method, **settings).score != expected.score


@pytest.mark.parametrize("label", ["1-1-1", "1-12-2"])
def test_bounds_and_laplace_against_what_they_are_of(label):
    """cs <= vb <= exact; and laplace's determinant by finite differences of the ln likelihood."""
    structure = Structure.from_label(label, FAMILY)
    cases = some_missing(structure, 9, 0.25, seed=6)
    by = {m: score(cases, structure, m).score for m in ("cs", "vb_mf", "vb", "exact", "laplace")}
    assert by["cs"] <= by["vb"] + 1e-9
    assert by["vb_mf"] <= by["vb"] + 1e-9
    assert by["vb"] <= by["exact"] + 1e-9
    found, parameters = estimate(cases, structure, "map")
    kernel = Kernel([found], cell_counts(coded(cases), FAMILY))
    batch, alpha = kernel.batch([0]), kernel.untied(0, kernel.prior_slots(Prior()))
    first = np.append(kernel.row_starts(0), len(alpha))
    start = np.log(kernel.untie(0, kernel.pack(0, parameters)))
    free = np.delete(np.arange(len(alpha)), first[:-1])  # one logit of each row is fixed

    def objective(x):
        logits = start.copy()
        logits[free] += x
        for begin, end in pairwise(first):
            logits[begin:end] -= logsumexp(logits[begin:end])
        fitted = batch.log_likelihood(kernel.expand(0, np.exp(logits))[None])[0]
        return fitted + np.sum(alpha * logits)

    h = 1e-3
    steps = h * np.eye(len(free))
    hessian = np.array(
        [
            [
                (
                    objective(a + b) - objective(a - b) - objective(b - a) + objective(-a - b)
                ) / (4 * h * h)
                for b in steps
            ]
            for a in steps
        ]
    )  # fmt: skip
    log_prior = sum(
        gammaln(alpha[begin:end].sum()) - gammaln(alpha[begin:end]).sum()
        for begin, end in pairwise(first)
    )
    sign, log_det = np.linalg.slogdet(-hessian)
    value = objective(np.zeros(len(free))) + log_prior
    value += len(free) / 2 * log(2 * np.pi) - log_det / 2
    copies = score(cases, structure, "laplace").log_copies
    assert sign == 1
    assert by["laplace"] == pytest.approx(value + copies, abs=2e-3)


def test_em_never_decreases_and_finds_the_parameters_of_half_observed_cases():
    """At 40,000 cases with a third of the values missing the estimate is near the truth, which
    dropping incomplete cases, or a level of its own for what is missing, does not give where values
    are missing at random given an observed one.
    """
    family = Family((2,), (2, 2, 2, 2))
    structure = Structure.from_label("1-1-1-1", family)
    truth = Parameters(
        (np.array([0.4, 0.6]),),
        tuple(np.array([[0.9, 0.1], [q, 1 - q]]) for q in (0.2, 0.3, 0.15, 0.25)),
    )
    rng = np.random.default_rng(8)
    cases, _ = simulate(structure, truth, 40_000, rng)
    # y2 to y4 are missing more often where y1 is 0: at random, given what is observed
    share = np.where(cases[:, :1] == 0, 0.6, 0.1)
    unseen = rng.random(cases.shape) < share * np.array([0, 1, 1, 1])
    _, found = estimate(np.where(unseen, np.nan, cases), structure, "ml")
    order = np.argsort(found.hidden[0])
    assert found.hidden[0][order] == pytest.approx(truth.hidden[0], abs=0.03)
    for own, true in zip(found.observed, truth.observed, strict=True):
        assert own[order] == pytest.approx(true, abs=0.03)
    complete = cases[~unseen.any(axis=1)]
    _, biased = estimate(complete, structure, "ml")
    assert abs(biased.hidden[0].min() - 0.4) > 0.1


def test_goodness_of_fit_is_that_of_complete_cases_and_residuals_those_of_pairs():
    structure = Structure.from_label("1-1-1", Family((2,), (2, 3, 2)))
    cases = some_missing(structure, 200, 0.2, seed=9)
    found = fit(cases, structure, "ml")
    whole = cases[~np.isnan(cases).any(axis=1)].astype(int)
    assert found.n_cases == 200
    assert found.n_complete == len(whole) < 150
    p = oracles.cell_probabilities(found.structure, found.parameters)
    counted = cell_counts(whole, structure.family).table(structure.family)
    expected = len(whole) * p
    seen = counted > 0
    g2 = 2 * np.sum(counted[seen] * np.log(counted[seen] / expected[seen]))
    assert found.g2 == pytest.approx(g2, rel=1e-10)
    assert found.x2 == pytest.approx(np.sum((counted - expected) ** 2 / expected), rel=1e-9)
    residuals = {(i, j): value for i, j, value in found.residuals()}
    both = ~np.isnan(cases[:, [0, 1]]).any(axis=1)
    pair = np.zeros((2, 3))
    np.add.at(pair, tuple(cases[both][:, [0, 1]].astype(int).T), 1)
    expected = both.sum() * p.sum(axis=2)
    assert residuals[0, 1] == pytest.approx(np.sum((pair - expected) ** 2 / expected) / 2)
    # what nothing is known of belongs to the classes as their sizes say
    sizes = found.parameters.hidden[0]
    patterns = np.array([[MISSING, MISSING, MISSING], [0, MISSING, 1]])
    alone = type(found)(found.structure, found.parameters, "ml", Counts.of(patterns))
    assert alone.memberships[0] == pytest.approx(sizes)
    y1, _, y3 = found.parameters.observed
    joint = sizes * y1[:, 0] * y3[:, 1]
    assert alone.memberships[1] == pytest.approx(joint / joint.sum())
    assert np.isnan(alone.g2)


def test_a_million_million_cases_cost_what_their_patterns_cost():
    structure = Structure.from_label("1-12-2", FAMILY)
    cases = some_missing(structure, 16, 0.2, seed=10)
    counts = Counts.of(coded(cases))
    many = Counts(counts.patterns, counts.numbers * 10**11)
    assert many.n == 16 * 10**11
    found = score(many, structure, "vb", restarts=8)
    fitted = score(many, structure, "map", restarts=8)
    assert found.converged
    assert found.score < fitted.score < 0
    assert score(many, structure, "bic", restarts=8).score == pytest.approx(
        fitted.score - structure.n_parameters / 2 * log(many.n)
    )
