"""The Laplace approximation against definitions that share no code with it, and the share of
parameters near a boundary.
"""

from dataclasses import replace
from math import isnan, lgamma, log, pi

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure, score
from latentdag.data.counts import cell_counts
from latentdag.model.parameters import Prior
from latentdag.scores import JOBS, SPECS, settings_of
from latentdag.scores.base import Task

QUICK = {"restarts": 24, "hits": 4}
PRIOR = Prior(0.8, 1.3)


def search(cases, structures, prior=PRIOR):
    task = Task(structures, cases, prior, 7, (3,))
    return task, JOBS["map"].run(task, settings_of(JOBS["map"], QUICK), {})


def laplace_by_differences(structure, cases, slots, prior, n_copies):
    """With the Hessian by differences of the gradient of a plain log posterior, the last logit of
    each row fixed.
    """
    family = structure.family
    objective = oracles.PointObjective(
        structure, cell_counts(cases, family).table(family), prior.alpha, prior.alpha_hidden
    )
    logits = oracles.flat(structure, slots)
    widths = [s[-1] for s in objective.shapes for _ in range(int(np.prod(s[:-1])))]
    free = np.setdiff1d(np.arange(objective.size), np.cumsum(widths) - 1)
    h = 1e-4
    moves = h * np.eye(objective.size)
    columns = [objective(logits + e)[1] - objective(logits - e)[1] for e in moves]
    hessian = np.array(columns)[np.ix_(free, free)] / (2 * h)
    assert np.abs(objective(logits)[1]).max() < 1e-4  # the fit has ended
    value = objective(logits)[0]
    for theta, a in zip(objective.unpack(logits), objective.pseudo, strict=True):
        k = theta.shape[-1]
        value += theta.size // k * (lgamma(k * a) - k * lgamma(a))
    value += len(free) / 2 * log(2 * pi) - np.linalg.slogdet(-hessian)[1] / 2
    return value + log(n_copies)


@pytest.mark.parametrize(
    ("label", "family", "n_copies"),
    [
        ("1-12-12-2", Family(), 4),
        ("12-12-12-12", Family(), 8),
        ("1-1-2-2", Family(), 4),
        ("1-1-1-1", Family(), 2),
        ("1-12-12-2", Family((2, 3), (5, 5, 5, 5)), 12),
        ("2-2-2-0", Family((2, 3), (5, 5, 5, 5)), 6),
    ],
    ids=str,
)
def test_value(cases, label, family, n_copies):
    structure = Structure.from_label(label, family).canonical()
    task, found = search(cases[:80], [structure])
    (result,) = SPECS["laplace"].read(task, found)
    expected = laplace_by_differences(
        structure.without_childless(),
        cases[:80],
        found[structure.label].log_weights,
        PRIOR,
        n_copies,
    )
    assert result.log_copies == pytest.approx(log(n_copies), rel=1e-12)
    assert result.score == pytest.approx(expected, abs=1e-4)
    assert isnan(result.log_prior) and isnan(result.near_boundary)  # they are map's


@pytest.mark.parametrize("alpha", [0.5, 1.0, 20.0])
def test_without_hidden_causes_it_is_that_of_the_closed_form(cases, alpha):
    """The integrand of a row in its logits is prod theta^(alpha + counts) / B(alpha): its mode and
    the curvature there are known.
    """
    expected = 0.0
    for column in cases[:40].T:
        u = np.bincount(column, minlength=5) + alpha
        theta = u / u.sum()
        expected += u @ np.log(theta) + lgamma(5 * alpha) - 5 * lgamma(alpha)
        expected += 2 * log(2 * pi) - (4 * log(u.sum()) + np.log(theta).sum()) / 2
    for family in (Family(), Family((), (5,) * 4)):
        structure = Structure.from_label("0-0-0-0", family)
        found = score(cases[:40], structure, "laplace", alpha=alpha, **QUICK)
        assert found.score == pytest.approx(expected, abs=1e-8)
        assert found.log_copies == 0


@pytest.mark.parametrize("method", ["laplace", "cs_lr", "vb_lr"])
def test_a_saddle_has_no_score_and_the_reason(cases, method):
    """All states alike where the children depend on each other: EM and VBEM stay there."""
    dependent = np.repeat(np.arange(5), 30)[:, None].repeat(4, axis=1)
    structure = Structure.from_label("1-1-1-1")
    task, found = search(dependent, [structure])
    flat = np.log(np.concatenate([np.full(20, 0.2), np.full(2, 0.5)]))
    stuck = {"1-1-1-1": replace(found["1-1-1-1"], optima=np.stack([flat, flat])[None])}
    (result,) = SPECS[method].read(task, stuck)
    assert isnan(result.score)
    assert "not positive definite" in result.reason
    assert result.log_copies == 0
    (result,) = SPECS[method].read(task, found)
    assert not isnan(result.score) and result.reason == ""


@pytest.mark.parametrize("method", ["laplace", "cs_lr", "vb_lr"])
@pytest.mark.parametrize("alpha", [0.01, 1e6, 1e12])
@pytest.mark.parametrize("alpha_hidden", [0.01, 1.0, 1e12])
def test_every_prior_that_is_allowed(method, alpha, alpha_hidden):
    family = Family((2, 3), (3, 2, 4))
    cases = np.random.default_rng(1).integers(family.observed, size=(9, 3))
    for label in ("1-12-2", "0-0-0"):
        found = score(
            cases,
            Structure.from_label(label, family),
            method,
            alpha=alpha,
            alpha_hidden=alpha_hidden,
            **QUICK,
        )
        assert found.reason or abs(found.score) < 1000


@pytest.mark.parametrize(
    ("label", "family"),
    [
        ("1-12-12-2", Family()),
        ("0-1-1-0", Family()),  # the other hidden variable is childless, and not counted
        ("1-12-2-0", Family((2, 3), (5, 5, 5, 5))),
        ("0-0-0-0", Family()),
    ],
    ids=str,
)
def test_parameters_that_less_than_one_expected_count_supports(cases, label, family):
    structure = Structure.from_label(label, family)
    own = cases[:30]
    task, found = search(own, [structure])
    reduced = structure.without_childless()
    ((kernel, _),) = task.kernels
    parameters = kernel.unpack(0, np.exp(found[label].log_weights))
    hidden, observed = oracles.expected_counts(reduced, parameters, own)
    counts = np.concatenate([np.ravel(x) for x in (*hidden, *observed)])
    assert np.abs(counts - 1)[np.abs(counts - 1) > 1e-12].min() > 1e-6
    (result,) = SPECS["map"].read(task, found)
    expected = np.mean(counts < 1 - 1e-9)
    assert result.near_boundary == pytest.approx(expected, abs=1e-12)
    assert result.near_boundary > 0 or label == "0-0-0-0"
    (other,) = SPECS["bic"].read(task, found)
    assert isnan(other.near_boundary)
