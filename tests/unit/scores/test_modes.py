"""Scores that look at the curvature around a mode, against the curvature by differences; and the
share of parameters near a boundary.
"""

from dataclasses import replace
from math import isnan, log, pi

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import MISSING, cell_counts
from latentdag.inference import em
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior
from latentdag.scores import JOBS, SPECS, compute, cs_lr, modes, settings_of, vb_lr
from latentdag.scores.base import Task
from latentdag.scores.modes import mode_statistics

QUICK = {"restarts": 24, "hits": 4}
PRIOR = Prior(0.8, 1.3)
UNEQUAL = Family((2, 3), (5, 5, 5, 5))
CURVED = ["laplace", "cs_lr", "vb_lr"]


def search(cases, structures, prior=PRIOR):
    task = Task(structures, cases, prior, 7, (3,))
    return task, JOBS["map"].run(task, settings_of(JOBS["map"], QUICK), {})


def laplace_by_differences(kernel, structure, cases, slots):
    """Without the copies of the mode; with the Hessian by differences of the gradient in the
    logits, which is alpha + expected counts less their sum times theta, the last logit of each row
    fixed.
    """
    em_step, first = em.EM(kernel.prior_slots(PRIOR)).step, kernel.row_starts(0)
    sizes = np.diff(first, append=kernel.n_coordinates[0])

    def gradient(logits):
        slots = kernel.log_normalise(kernel.expand(0, logits))
        u = kernel.untie(0, em_step(kernel.batch([0]), slots[None])[2][0])
        return u - np.repeat(np.add.reduceat(u, first), sizes) * np.exp(kernel.untie(0, slots))

    logits, h = kernel.untie(0, slots), 1e-4
    assert np.abs(gradient(logits)).max() < 1e-4  # the fit has ended
    free = np.setdiff1d(np.arange(len(logits)), first + sizes - 1)
    columns = [gradient(logits + e) - gradient(logits - e) for e in h * np.eye(len(logits))]
    hessian = np.array(columns)[np.ix_(free, free)] / (2 * h)
    theta = kernel.unpack(0, np.exp(slots))
    value = oracles.log_likelihood(structure, theta, cases)
    value += sum(oracles.log_dirichlet_of_logits(row, PRIOR.alpha_hidden) for row in theta.hidden)
    for table in theta.observed:
        value += sum(oracles.log_dirichlet_of_logits(row, PRIOR.alpha) for row in table)
    return value + len(free) / 2 * log(2 * pi) - np.linalg.slogdet(-hessian)[1] / 2


def response_by_differences(kernel, algorithm, log_weights, h=1e-4):
    """-(1 / 2) ln det(I - J), J the Jacobian of a step in untied log weights, to fourth order."""
    x = kernel.untie(0, log_weights)

    def step(x):
        return kernel.untie(0, algorithm.step(kernel.batch([0]), kernel.expand(0, x)[None])[1][0])

    columns = []
    for e in h * np.eye(len(x)):
        near, far = (step(x + k * e) - step(x - k * e) for k in (1, 2))
        columns.append((8 * near - far) / (12 * h))
    sign, value = np.linalg.slogdet(np.eye(len(x)) - np.array(columns).T)
    assert sign == 1
    return -value / 2


@pytest.mark.parametrize(
    ("label", "family", "n_copies"),
    [
        *(("1-12-12-2", Family(), 4), ("12-12-12-12", Family(), 8), ("1-1-0-1", Family(), 2)),
        *(("1-12-12-2", UNEQUAL, 12), ("2-2-2-0", UNEQUAL, 6)),
    ],
    ids=str,
)
def test_values(cases, label, family, n_copies):
    structure = Structure.from_label(label, family).canonical()
    few, key = cases[:60], structure.label
    task = Task([structure], few, PRIOR, 7, (3,))
    scores, fits = compute(task, ["map", "cs", "vb", *CURVED], QUICK)
    scores = {s.method: s for s in scores}
    ((kernel, _),) = task.kernels
    alpha, fits = kernel.prior_slots(PRIOR), {m: fits[m][key].log_weights for m in ("map", "vb")}
    expected = {
        "laplace": laplace_by_differences(kernel, structure.without_childless(), few, fits["map"]),
        "cs_lr": scores["cs"].score + response_by_differences(kernel, em.EM(alpha), fits["map"]),
        "vb_lr": scores["vb"].score + response_by_differences(kernel, em.VBEM(alpha), fits["vb"]),
    }
    for method, value in expected.items():
        one, base = scores[method], scores["vb" if method == "vb_lr" else "map"]
        assert one.log_copies == pytest.approx(log(n_copies), rel=1e-12)
        assert one.score == pytest.approx(value + log(n_copies), abs=2e-4)
        assert isnan(one.log_prior) and isnan(one.near_boundary)  # they are map's
        for name in ("iterations", "restarts", "restarts_at_best", "converged"):
            assert getattr(one, name) == getattr(base, name)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(
    ("label", "family"),
    [
        ("1-12-2", Family((2, 3), (3, 2, 4))),
        ("12-13-23", Family((2, 2, 2), (3, 2, 2))),
        ("1", Family((2,), (4,))),
        ("0-0", Family((), (3, 2))),
    ],
    ids=str,
)
def test_the_response_anywhere(monkeypatch, label, family, missing):
    """Not only at a mode, and some cells after the others; a strong prior keeps I - J positive."""
    monkeypatch.setattr(em.information, "CHUNK", 100)
    rng, structure = np.random.default_rng(1), Structure.from_label(label, family)
    cases = rng.integers(family.observed, size=(12, len(family.observed)))
    cases[rng.random(cases.shape) < missing] = MISSING
    kernel = Kernel([structure], cell_counts(cases, family))
    alpha = kernel.prior_slots(Prior(60.0, 40.0))
    slots = np.log(kernel.pack(0, oracles.random_parameters(structure, rng)))
    statistics = em.CompleteData(kernel, alpha).statistics(0, slots)
    u = statistics.alpha + statistics.expected
    mode = np.log(u / statistics.row_sums(u)[statistics.row])
    for response, algorithm, of_algorithm in (
        (vb_lr.response, em.VBEM, statistics),
        (cs_lr.response, em.EM, replace(statistics, log_weights=mode)),  # its Psi is that of u
    ):
        expected = response_by_differences(kernel, algorithm(alpha), slots)
        assert response(of_algorithm) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("method", CURVED)
def test_a_saddle_has_no_score_and_the_reason(cases, method):
    """All states alike where the children depend on each other: EM and VBEM stay there."""
    dependent = np.repeat(np.arange(5), 30)[:, None].repeat(4, axis=1)
    structure = Structure.from_label("1-1-1-1")
    task, fits = search(dependent, [structure])
    flat = np.log(np.concatenate([np.full(20, 0.2), np.full(2, 0.5)]))
    stuck = {"1-1-1-1": replace(fits["1-1-1-1"], optima=np.stack([flat, flat])[None])}
    (result,) = SPECS[method].read(task, stuck)
    assert isnan(result.score)
    assert "not positive definite" in result.reason
    (result,) = SPECS[method].read(task, fits)
    assert not isnan(result.score) and result.reason == ""


@pytest.mark.parametrize(
    ("label", "family"),
    [
        ("1-12-12-2", Family()),
        ("0-1-1-0", Family()),  # the other hidden variable is childless, and not counted
        ("1-12-2-0", UNEQUAL),
        ("0-0-0-0", Family()),
    ],
    ids=str,
)
def test_parameters_that_less_than_one_expected_count_supports(cases, label, family):
    structure, few = Structure.from_label(label, family), cases[:30]
    task, fits = search(few, [structure])
    ((kernel, _),) = task.kernels
    parameters = kernel.unpack(0, np.exp(fits[label].log_weights))
    hidden, observed = oracles.expected_counts(structure.without_childless(), parameters, few)
    counts = np.concatenate([np.ravel(x) for x in (*hidden, *observed)])
    assert np.abs(counts - 1)[np.abs(counts - 1) > 1e-12].min() > 1e-6
    (result,) = SPECS["map"].read(task, fits)
    assert result.near_boundary == pytest.approx(np.mean(counts < 1 - 1e-9), abs=1e-12)
    assert result.near_boundary > 0 or label == "0-0-0-0"


def test_copies_are_those_of_the_means_under_the_prior_given(cases):
    """At the same responsibilities a strong prior makes the means of both states alike."""
    structure = Structure.from_label("1-1-1-1", Family((2,), (5, 5, 5, 5)))
    _, fits = search(cases[:200], [structure], Prior(1.0))
    for prior, expected in ((Prior(0.5), log(2)), (Prior(1e6), 0.0)):
        ((_, _, log_m),) = mode_statistics(Task([structure], cases[:200], prior), fits)
        assert log_m == pytest.approx(expected)


def test_probabilities_are_counted_with_the_last_of_each_row(monkeypatch):
    """60 of the observed variables of 1-12-12-2 and 4 of the causes, however many are free."""
    task = Task([Structure.from_label("1-12-12-2")], np.zeros((3, 4), int))
    monkeypatch.setattr(modes, "MOST_PARAMETERS", 64)
    modes.refuse(task)
    monkeypatch.setattr(modes, "MOST_PARAMETERS", 63)
    with pytest.raises(ValueError, match="there are 64"):
        modes.refuse(task)
