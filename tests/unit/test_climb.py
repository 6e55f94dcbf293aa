"""EM and VBEM half-step by half-step, against plain loops over cases and hidden states."""

from itertools import pairwise
from math import inf, isnan, log

import numpy as np
import oracles
import pytest
from scipy.special import digamma, gammaln

from latentdag import Family, Prior, Structure, draw_study
from latentdag.analysis import climb
from latentdag.analysis.climb import climbs
from latentdag.inference.em import fixed_point, point_estimate, vbem
from latentdag.model.parameters import Parameters
from latentdag.scores.base import Task

PRIOR = Prior(0.7, 1.6)
LABELS = ("1-12-2", "1-1-0", "0-0-0")


def task_of(label, n=25, draw=3):
    structure = Structure.from_label(label, Family((2, 2), (2, 3, 2)))
    cases = draw_study(structure, PRIOR, n, 11, draw).cases
    return Task([structure], cases, PRIOR, 11, (draw,))


def steps(task, algorithm, most=climb.MOST):
    return [step for step in climbs(task, most) if step.algorithm == algorithm]


def start_of(task):
    """The structure without childless causes, and theta at the start."""
    ((kernel, structures),) = task.kernels
    log_theta = task.start(kernel, structures)(0, 0)
    return kernel.structures[0], kernel.unpack(0, np.exp(log_theta))


def responsibilities(structure, parameters, cases):
    """q(s) of each case: p(s given y), for parameters that need not be normalised."""
    terms = [oracles.joint(structure, parameters, tuple(c)) for c in cases]
    return [t / t.sum() for t in terms]


def expected_log_joint(structure, log_parameters, cases, q):
    """E_q[ln p(s, y)], plus the entropy of q; ``log_parameters`` are (expected) logarithms."""
    total = 0.0
    for c, of_case in zip(cases, q, strict=True):
        for s, p in zip(oracles.hidden_states(structure), of_case, strict=True):
            value = sum(log_parameters.hidden[i][state] for i, state in enumerate(s))
            for j, table in enumerate(oracles.tables(structure, log_parameters)):
                value += table[(*(s[i] for i in structure.parents[j]), c[j])]
            total += p * (value - log(p))
    return total


def counted(structure, cases, q):
    """Expected counts of every table, rows below each other as in `Parameters`."""
    hidden = [np.zeros(k) for k in structure.family.hidden]
    tables = [np.zeros(t.shape) for t in oracles.tables(structure, shape_of(structure))]
    for c, of_case in zip(cases, q, strict=True):
        for s, p in zip(oracles.hidden_states(structure), of_case, strict=True):
            for i, state in enumerate(s):
                hidden[i][state] += p
            for j, parents in enumerate(structure.parents):
                tables[j][(*(s[i] for i in parents), c[j])] += p
    return rows_of(hidden, tables)


def shape_of(structure):
    return oracles.random_parameters(structure, np.random.default_rng(0))


def rows_of(hidden, tables):
    return Parameters(tuple(hidden), tuple(t.reshape(-1, t.shape[-1]) for t in tables))


def mapped(function, *parameters):
    """A function of rows, applied to every table."""
    kinds = ([getattr(p, kind) for p in parameters] for kind in ("hidden", "observed"))
    return Parameters(*(tuple(map(function, *tables)) for tables in kinds))


def of_prior(structure):
    shape = shape_of(structure)
    return Parameters(
        tuple(np.full(p.shape, PRIOR.alpha_hidden) for p in shape.hidden),
        tuple(np.full(t.shape, PRIOR.alpha) for t in shape.observed),
    )


def log_prior(parameters):
    """ln density of the logits."""
    rows = [(p, PRIOR.alpha_hidden) for p in parameters.hidden]
    rows += [(row, PRIOR.alpha) for table in parameters.observed for row in table]
    return sum(oracles.log_dirichlet_of_logits(row, alpha) for row, alpha in rows)


def divergence(u, alpha):
    """KL of Dirichlet(u) from Dirichlet(alpha), summed over rows."""

    def of_rows(u, alpha):
        log_b = gammaln(u).sum(-1) - gammaln(u.sum(-1))
        log_b_prior = gammaln(alpha).sum(-1) - gammaln(alpha.sum(-1))
        mean = digamma(u) - digamma(u.sum(-1, keepdims=True))
        return np.sum(log_b_prior - log_b + ((u - alpha) * mean).sum(-1))

    found = mapped(of_rows, u, alpha)
    return sum(found.hidden) + sum(found.observed)


@pytest.mark.parametrize("label", LABELS)
def test_half_steps_of_em(label):
    """F with its q(s) spelled out; before the E-step it would have been that of the M-step."""
    task = task_of(label)
    structure, theta = start_of(task)
    found, expected = steps(task, "EM", 3), []
    for iteration in range(3):
        q = responsibilities(structure, theta, task.cases)
        for half_step in "EM":
            if half_step == "M":
                counts = counted(structure, task.cases, q)
                mass = mapped(np.add, counts, of_prior(structure))
                theta = mapped(lambda rows: rows / rows.sum(-1, keepdims=True), mass)
            f = expected_log_joint(structure, mapped(np.log, theta), task.cases, q)
            target = oracles.log_likelihood(structure, theta, task.cases)
            prior = log_prior(theta)
            expected.append((iteration, half_step, f + prior, target + prior))
    for step, (iteration, half_step, bound, target) in zip(found, expected, strict=False):
        assert (step.iteration, step.half_step) == (iteration, half_step)
        assert step.bound == pytest.approx(bound, abs=1e-9)
        assert step.target == pytest.approx(target, abs=1e-9)
    assert len(found) == (6 if label != "0-0-0" else 5)  # the last E-step gains nothing


@pytest.mark.parametrize("label", LABELS)
def test_half_steps_of_vbem(label):
    task = task_of(label)
    structure, theta = start_of(task)
    alpha = of_prior(structure)
    found, expected = steps(task, "VBEM", 3), []
    log_theta, u = mapped(np.log, theta), None
    for iteration in range(3):
        q = responsibilities(structure, mapped(np.exp, log_theta), task.cases)
        for half_step in "EM":
            if half_step == "M":
                u = mapped(np.add, counted(structure, task.cases, q), alpha)
                log_theta = mapped(lambda r: digamma(r) - digamma(r.sum(-1, keepdims=True)), u)
            if u is not None:  # at the start there is no q(theta)
                f = expected_log_joint(structure, log_theta, task.cases, q)
                expected.append((iteration, half_step, f - divergence(u, alpha)))
    for step, (iteration, half_step, bound) in zip(found, expected, strict=False):
        assert (step.iteration, step.half_step) == (iteration, half_step)
        assert step.bound == pytest.approx(bound, abs=1e-9)
        assert isnan(step.target)
    assert len(found) == (5 if label != "0-0-0" else 3)


@pytest.mark.parametrize("draw", range(3))
def test_the_e_step_touches_and_no_bound_falls(draw):
    task = task_of("1-12-2", n=60, draw=draw)
    for algorithm in ("EM", "VBEM"):
        found = steps(task, algorithm)
        assert all(b.bound > a.bound - 1e-9 for a, b in pairwise(found))
        gaps = {half: [s.target - s.bound for s in found if s.half_step == half] for half in "EM"}
        if algorithm == "EM":
            assert max(map(abs, gaps["E"])) < 1e-9
            assert min(gaps["M"]) > -1e-9 and max(gaps["M"]) > 1e-3


@pytest.mark.parametrize("draw", range(3))
def test_the_climb_ends_where_the_scores_fit_from_the_same_start_does(draw, monkeypatch):
    monkeypatch.setattr(climb, "GAIN", 1e-11)
    task = task_of("1-12-2", n=60, draw=draw)
    ((kernel, structures),) = task.kernels
    batch, alpha = kernel.batch(np.zeros(1, int)), kernel.prior_slots(task.prior)
    start = task.start(kernel, structures)(0, 0)[None]
    ends = {}
    for name, algorithm in (("EM", point_estimate.EM(alpha)), ("VBEM", vbem.VBEM(alpha))):
        fits = fixed_point.maximise(kernel, algorithm, np.zeros(1, int), start, 30_000, 1e-10)
        ends[name] = fits.objective.item()
        if name == "EM":
            likelihood = batch.log_likelihood(np.exp(fits.log_weights))
            ends[name] = (likelihood + batch.log_prior(fits.log_weights, alpha)).item()
        assert steps(task, name, 30_000)[-1].bound == pytest.approx(ends[name], abs=1e-6)


def test_a_climb_ends_with_a_small_gain_or_after_so_many_iterations():
    task = task_of("1-12-2", n=60)
    for algorithm, last in (("EM", "E"), ("VBEM", "M")):
        found = [step for step in steps(task, algorithm) if step.half_step == last]
        gains = [b.bound - a.bound for a, b in pairwise([found[0]._replace(bound=-inf), *found])]
        assert gains[-1] < climb.GAIN <= min(gains[:-1])
        assert {step.iteration for step in steps(task, algorithm, 4)} == {0, 1, 2, 3}
