"""Missing values: every score against enumerations of what is missing, and what must not change."""

from itertools import product
from math import log

import numpy as np
import oracles
import pytest
from scipy.special import logsumexp

from latentdag import (
    METHODS,
    Counts,
    Family,
    Parameters,
    Prior,
    Structure,
    draw_parameters,
    estimate,
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
def test_bounds(label):
    structure = Structure.from_label(label, FAMILY)
    cases = some_missing(structure, 9, 0.25, seed=6)
    by = {m: score(cases, structure, m).score for m in ("cs", "vb_mf", "vb", "exact")}
    assert max(by["cs"], by["vb_mf"]) <= by["vb"] + 1e-9
    assert by["vb"] <= by["exact"] + 1e-9


def test_em_finds_the_parameters_of_half_observed_cases():
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


def test_a_million_million_cases_cost_what_their_patterns_cost():
    structure = Structure.from_label("1-12-2", FAMILY)
    counts = Counts.of(coded(some_missing(structure, 16, 0.2, seed=10)))
    many = Counts(counts.patterns, counts.numbers * 10**11)
    assert many.n == 16 * 10**11
    found, fitted = (score(many, structure, method, restarts=8) for method in ("vb", "map"))
    assert found.converged and found.score < fitted.score < 0
