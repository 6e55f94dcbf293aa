"""The variational bound with a factorised q(s), against loops over cases and states."""

import numpy as np
import oracles
import pytest
from scipy.special import logsumexp

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.inference.em.mean_field import MeanFieldVBEM, starts
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior

pytestmark = pytest.mark.slow

SMALL = Family((2, 3), (3, 2, 4))
THREE = Family((2, 3, 2), (2, 3, 2, 2))
FOUR = Family((2, 2, 3, 2), (2, 3, 2))
SOME = [
    (Family(), "1-12-12-2", Prior()),
    (SMALL, "12-2-12", Prior(0.6, 1.7)),
    (SMALL, "12-12-12", Prior(2.0, 0.7)),
    (THREE, "12-123-3-23", Prior(0.8)),
    (FOUR, "1234-13-24", Prior(0.5, 1.2)),
]
families = pytest.mark.parametrize(("family", "label", "prior"), SOME, ids=str)


def of(family, label, cases):
    s = Structure.from_label(label, family)
    return s, Kernel([s], cell_counts(cases, family))


def random_q(structure, n, rng):
    """ln q of each hidden variable for n cells, (K, N)."""
    q = [rng.dirichlet(np.ones(k), size=n).T for k in structure.family.hidden]
    return np.log(np.concatenate(q))


@families
def test_one_step_is_the_plain_one(family, label, prior):
    """F with the product of the q(s_h), and thesis eq. 2.42 for each hidden variable in turn, the
    others' q as they are then and q(theta) as it was.
    """
    cases = oracles.dependent_cases(family, 12, 3, 0.6)
    s, kernel = of(family, label, cases)
    cells, numbers = np.unique(cases, axis=0, return_counts=True)
    log_q = random_q(s, len(cells), np.random.default_rng(5))
    states, first = np.array(oracles.hidden_states(s)), np.cumsum([0, *family.hidden])[:-1]

    def joint(q):
        """ln q(s) of every joint state, (N, H)."""
        return sum(q[first[h] + states[:, h]].T for h in range(states.shape[1]))

    free = oracles.FreeBound(s, cells, numbers, prior.alpha, prior.alpha_hidden)
    bound, gradient = free(np.exp(joint(log_q)))
    log_completed = gradient / numbers[:, None] + joint(log_q) + 1  # E[ln p(s, y given theta)]
    q = log_q.copy()
    for h, k in enumerate(family.hidden):
        own = slice(first[h], first[h] + k)
        others = np.exp(joint(q) - q[first[h] + states[:, h]].T) * log_completed
        logs = np.array([others[:, states[:, h] == value].sum(axis=1) for value in range(k)])
        q[own] = logs - logsumexp(logs, axis=0)
    algorithm = MeanFieldVBEM(kernel.prior_slots(prior))
    objective, after, mass = algorithm.step(kernel.batch([0]), log_q[None])
    assert objective[0] == pytest.approx(bound, rel=1e-12)
    assert np.allclose(mass[0], numbers * np.exp(log_q), rtol=1e-12)
    assert np.allclose(np.exp(after[0]), np.exp(q), rtol=1e-10)


@families
def test_a_start_is_the_marginals_given_theta(family, label, prior):
    cases = oracles.dependent_cases(family, 9, 3, 0.6)
    s, kernel = of(family, label, cases)
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    log_q = starts(kernel, [np.log(kernel.pack(0, parameters))])[0]
    states = np.array(oracles.hidden_states(s))
    for i, cell in enumerate(np.unique(cases, axis=0)):
        joint = oracles.joint(s, parameters, tuple(cell))
        marginals = [
            joint[states[:, h] == k].sum() / joint.sum()
            for h, n_values in enumerate(family.hidden)
            for k in range(n_values)
        ]
        assert np.allclose(np.exp(log_q[:, i]), marginals, rtol=1e-11)


def test_a_start_where_a_marginal_underflows_is_a_number():
    _, kernel = of(SMALL, "12-2-12", oracles.dependent_cases(SMALL, 9, 3, 0.6))
    weights = np.zeros((kernel.n_states, kernel.n_columns))
    weights[:3] = -800  # the first state of s1 has a probability of exp(-4000)
    log_q = starts(kernel, [weights])[0]
    assert np.allclose(log_q[0], -4000) and np.allclose(log_q[1], 0)
