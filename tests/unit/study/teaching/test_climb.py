"""EM and VBEM half-step by half-step, against plain sums over hidden states."""

from math import inf, nan

import numpy as np
import oracles
import pytest
from scipy.special import digamma, log_softmax, logsumexp

from latentdag import Family, Prior, Structure, draw_study
from latentdag.scores.base import Task
from latentdag.study.teaching import climb
from latentdag.study.teaching.climb import climbs

PRIOR = Prior(0.7, 1.6)
CLIMBED = ("1-12-2", "1-1-0", "0-0-0")


def task_of(label, n):
    structure = Structure.from_label(label, Family((2, 2), (2, 3, 2)))
    cases = draw_study(structure, PRIOR, n, 11, 3).cases
    return Task([structure], cases, PRIOR, 11, (3,))


def steps(task, algorithm, most=climb.MOST):
    return [step for step in climbs(task, most) if step.algorithm == algorithm]


@pytest.mark.parametrize("label", CLIMBED)
def test_half_steps(label):
    """F with its q(s) spelled out; before the E-step it would have been that of the M-step."""
    task = task_of(label, n=25)
    ((kernel, structures),) = task.kernels
    s, cases = kernel.structures[0], task.cases
    free = oracles.FreeBound(s, cases, np.ones(len(cases)), PRIOR.alpha, PRIOR.alpha_hidden)
    x = oracles.flat(s, task.start(kernel, structures)(0, 0))
    rows = [slice(start, start + k) for start, k in free.blocks.items()]

    def log_joint(x):
        return np.einsum("pch,p->ch", free.design, x)

    def e_step(x):
        return log_softmax(log_joint(x), axis=1)

    def m_step(log_q, of_mass):
        mass = free.prior + np.einsum("pch,ch->p", free.design, np.exp(log_q))
        return np.concatenate([of_mass(mass[row]) for row in rows])

    def log_prior(x):
        return sum(oracles.log_dirichlet_of_logits(np.exp(x[r]), free.prior[r][0]) for r in rows)

    def log_theta(mass):
        return np.log(mass / mass.sum())

    theta, expected = x, []
    for iteration in range(3):
        log_q = e_step(theta)
        for half_step in "EM":
            if half_step == "M":
                theta = m_step(log_q, log_theta)
            bound = np.sum(np.exp(log_q) * (log_joint(theta) - log_q)) + log_prior(theta)
            target = logsumexp(log_joint(theta), axis=1).sum() + log_prior(theta)
            expected.append((iteration, half_step, bound, target))
    # without links the last E-step gains nothing
    compare(steps(task, "EM", 3), expected if label != "0-0-0" else expected[:5])

    def mean_log(mass):
        return digamma(mass) - digamma(mass.sum())

    mean_logs, divergence, expected = x, 0.0, []
    for iteration in range(3):
        log_q = e_step(mean_logs)
        if iteration:  # at the start there is no q(theta)
            bound = np.sum(np.exp(log_q) * (log_joint(mean_logs) - log_q)) - divergence
            expected.append((iteration, "E", bound, nan))
        mean_logs = m_step(log_q, mean_log)
        expected.append((iteration, "M", free(np.exp(log_q))[0], nan))
        divergence = np.sum(np.exp(log_q) * (log_joint(mean_logs) - log_q)) - expected[-1][2]
    compare(steps(task, "VBEM", 3), expected if label != "0-0-0" else expected[:3])


def compare(climbed, expected):
    for step, (iteration, half_step, *values) in zip(climbed, expected, strict=True):
        assert (step.iteration, step.half_step) == (iteration, half_step)
        assert (step.bound, step.target) == pytest.approx(values, abs=1e-9, nan_ok=True)


def test_a_climb_ends_with_a_small_gain_or_after_so_many_iterations():
    task = task_of("1-12-2", n=60)
    for algorithm, last in (("EM", "E"), ("VBEM", "M")):
        bounds = [step.bound for step in steps(task, algorithm) if step.half_step == last]
        gains = np.diff([-inf, *bounds])
        assert gains[-1] < climb.GAIN <= min(gains[:-1])
        assert {step.iteration for step in steps(task, algorithm, 4)} == {0, 1, 2, 3}
