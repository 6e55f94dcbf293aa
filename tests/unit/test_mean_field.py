"""The variational bound with a factorised q(s), against loops over cases and states."""

from itertools import product

import numpy as np
import oracles
import pytest
from scipy.special import digamma, gammaln

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.inference.em.fixed_point import maximise
from latentdag.inference.em.mean_field import MeanField, MeanFieldVBEM
from latentdag.inference.em.vbem import VBEM
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


def data_of(family, n, seed=3):
    """Cases in which the variables have something to do with each other."""
    rng = np.random.default_rng(seed)
    common = rng.integers(2, size=n)
    columns = [
        np.where(rng.random(n) < 0.6, common, rng.integers(k, size=n)) for k in family.observed
    ]
    return np.column_stack(columns)


def of(family, label, cases):
    s = Structure.from_label(label, family)
    return s, MeanField(Kernel([s], cell_counts(cases, family)))


def occupied(cases):
    """Distinct cases in the order of cells, and for each case its place among them."""
    return np.unique(cases, axis=0, return_inverse=True)


def random_q(structure, n, rng):
    """ln q of each hidden variable for n cells, (K, N)."""
    q = [rng.dirichlet(np.ones(k), size=n).T for k in structure.family.hidden]
    return np.log(np.concatenate(q))


class Plain:
    """q(theta) and a q(s_h) for each case and hidden variable h, one case after the other."""

    def __init__(self, structure, cases, prior):
        self.structure, self.cases, self.prior = structure, cases, prior
        self.states = oracles.hidden_states(structure)

    def begin(self, log_q, place):
        """q[h][i] for case i from ln q by cell."""
        ends = np.cumsum(self.structure.family.hidden)
        parts = np.split(np.exp(log_q), ends[:-1])
        self.q = [part[:, place].T.copy() for part in parts]

    def theta(self):
        """q(theta) = Dirichlet(prior + expected counts)."""
        family = self.structure.family
        self.hidden = [np.full(k, self.prior.alpha_hidden) for k in family.hidden]
        self.observed = [
            np.full([family.hidden[i] for i in p] + [k], self.prior.alpha)
            for p, k in zip(self.structure.parents, family.observed, strict=True)
        ]
        for i, y in enumerate(self.cases):
            for s in self.states:
                r = np.prod([self.q[h][i][k] for h, k in enumerate(s)])
                for h, k in enumerate(s):
                    self.hidden[h][k] += r
                for j, p in enumerate(self.structure.parents):
                    self.observed[j][(*(s[h] for h in p), y[j])] += r
        self.logs = [
            [digamma(t) - digamma(t.sum(axis=-1, keepdims=True)) for t in tables]
            for tables in (self.hidden, self.observed)
        ]

    def log_completed(self, s, y):
        """E[ln p(s, y given theta)]."""
        hidden, observed = self.logs
        value = sum(hidden[h][k] for h, k in enumerate(s))
        for j, p in enumerate(self.structure.parents):
            value += observed[j][(*(s[h] for h in p), y[j])]
        return value

    def bound(self):
        """E[ln p(s, y given theta)] + entropy of q(s) - KL[q(theta) || p(theta)]: thesis eq. 2.51
        with the q(s) of eq. 2.39.
        """
        value = 0.0
        for i, y in enumerate(self.cases):
            for s in self.states:
                each = [self.q[h][i][k] for h, k in enumerate(s)]
                value += np.prod(each) * (self.log_completed(s, y) - np.sum(np.log(each)))
        for tables, logs, a in zip(
            (self.hidden, self.observed),
            self.logs,
            (self.prior.alpha_hidden, self.prior.alpha),
            strict=True,
        ):
            for table, log in zip(tables, logs, strict=True):
                k = table.shape[-1]
                for u, mean_log in zip(table.reshape(-1, k), log.reshape(-1, k), strict=True):
                    value -= gammaln(u.sum()) - gammaln(u).sum() + (u - a) @ mean_log
                    value += gammaln(k * a) - k * gammaln(a)
        return value

    def states_in_turn(self):
        """Thesis eq. 2.42 for each hidden variable, the others' q as they are now."""
        hidden = self.structure.family.hidden
        for h, n_values in enumerate(hidden):
            for i, y in enumerate(self.cases):
                logs = np.zeros(n_values)
                for s in product(*(range(k) for k in hidden)):
                    others = [self.q[g][i][k] for g, k in enumerate(s) if g != h]
                    logs[s[h]] += np.prod(others) * self.log_completed(s, y)
                weights = np.exp(logs - logs.max())
                self.q[h][i] = weights / weights.sum()


@families
def test_one_step_is_the_plain_one(family, label, prior):
    cases = data_of(family, 12)
    s, m = of(family, label, cases)
    cells, place = occupied(cases)
    log_q = random_q(s, len(cells), np.random.default_rng(5))
    plain = Plain(s, cases, prior)
    plain.begin(log_q, place)
    plain.theta()
    algorithm = MeanFieldVBEM(m.kernel.prior_slots(prior))
    objective, after, mass = algorithm.step(m.batch([0]), log_q[None])
    assert objective[0] == pytest.approx(plain.bound(), rel=1e-12)
    times = np.bincount(place)
    assert np.allclose(mass[0], times * np.exp(log_q), rtol=1e-12)
    plain.states_in_turn()
    expected = np.concatenate([q.T for q in plain.q])
    assert np.allclose(np.exp(after[0])[:, place], expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("family", "label", "prior", "n"),
    [
        (SMALL, "12-2-12", Prior(0.6, 1.7), 25),
        (Family((2, 2), (2, 2)), "12-12", Prior(), 20),
        (Family((2, 2, 2), (2, 2, 3)), "12-23-13", Prior(1.5, 0.8), 12),
    ],
    ids=str,
)
def test_the_fixed_point_is_that_of_the_plain_iteration(family, label, prior, n):
    cases = data_of(family, n)
    s, m = of(family, label, cases)
    cells, place = occupied(cases)
    log_q = random_q(s, len(cells), np.random.default_rng(1))
    fits = maximise(
        m, MeanFieldVBEM(m.kernel.prior_slots(prior)), np.array([0]), log_q[None], 3000, 1e-12
    )
    assert fits.converged[0]
    plain = Plain(s, cases, prior)
    plain.begin(log_q, place)
    last = -np.inf
    for _ in range(300):
        plain.theta()
        value = plain.bound()
        assert value >= last - 1e-10
        if value - last < 1e-13:
            break
        last = value
        plain.states_in_turn()
    assert fits.objective[0] == pytest.approx(value, abs=1e-8)
    expected = np.concatenate([q.T for q in plain.q])
    assert np.allclose(np.exp(fits.log_weights[0])[:, place], expected, atol=1e-4)


@families
def test_a_start_is_the_marginals_given_theta(family, label, prior):
    cases = data_of(family, 9)
    s, m = of(family, label, cases)
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    log_q = m.start(0, np.log(m.kernel.pack(0, parameters)))
    states = np.array(oracles.hidden_states(s))
    for i, cell in enumerate(occupied(cases)[0]):
        joint = oracles.joint(s, parameters, tuple(cell))
        marginals = [
            joint[states[:, h] == k].sum() / joint.sum()
            for h, n_values in enumerate(family.hidden)
            for k in range(n_values)
        ]
        assert np.allclose(np.exp(log_q[:, i]), marginals, rtol=1e-11)


def test_a_start_where_a_marginal_underflows_is_a_number():
    _, m = of(SMALL, "12-2-12", data_of(SMALL, 9))
    weights = np.zeros((m.kernel.n_states, m.kernel.n_columns))
    weights[:3] = -800  # the first state of s1 has a probability of exp(-4000)
    log_q = m.start(0, weights)
    assert np.allclose(log_q[0], -4000) and np.allclose(log_q[1], 0)


@pytest.mark.parametrize(
    ("family", "label", "prior"),
    [
        *SOME,
        (Family(), "12-12-12-12", Prior(0.01)),
        (Family(), "1-12-12-2", Prior(1e5)),
        (Family(), "12-12-12-12", Prior(1e12)),
        (SMALL, "12-2-1", Prior(1.0, 1e12)),
    ],
    ids=str,
)
def test_the_bound_never_decreases(cases, family, label, prior):
    """At any step of any of many random starts, by the objective that a step itself returns; the
    first cycles one by one, later ones now and then.
    """
    own = cases[:200] if family == Family() else data_of(family, 80)
    s, m = of(family, label, own)
    rng = np.random.default_rng(5)
    starts = np.array([random_q(s, m.shape[1], rng) for _ in range(20)])
    algorithm, items = MeanFieldVBEM(m.kernel.prior_slots(prior)), np.zeros(20, dtype=int)
    first = last = algorithm.step(m.batch(items), starts)[0]
    for limit in (*range(3, 31, 3), *range(60, 601, 60)):
        fits = maximise(m, algorithm, items, starts, limit)
        here, after, _ = algorithm.step(m.batch(items), fits.log_weights)
        ahead, _, _ = algorithm.step(m.batch(items), after)
        for lower, higher in ((last, fits.objective), (fits.objective, here), (here, ahead)):
            assert (lower - higher <= 1e-12 * np.abs(higher)).all()
        last = fits.objective
    assert (last > first + 1e-3).all()  # and it did climb


@pytest.mark.parametrize("label", ["1-12-12-2", "12-12-12-12", "0-1-12-1"])
def test_a_converged_fit_has_nothing_left_to_gain(cases, label):
    """By plain steps from there."""
    s, m = of(Family(), label, cases[:480])
    algorithm = MeanFieldVBEM(m.kernel.prior_slots(Prior()))
    rng = np.random.default_rng(8)
    starts = np.array([random_q(s, m.shape[1], rng) for _ in range(8)])
    fits = maximise(m, algorithm, np.zeros(8, dtype=int), starts, 3000)
    assert fits.converged.all()
    batch, log_q = m.batch(np.zeros(8, dtype=int)), fits.log_weights
    for _ in range(1500):
        objective, log_q, _ = algorithm.step(batch, log_q)
    assert np.max(objective - fits.objective) < 1e-6


def test_alone_or_in_company_to_the_bit(cases):
    labels = ["1-12-12-2", "12-12-12-12", "1-1-2-12"]
    structures = [Structure.from_label(label) for label in labels]
    counts = cell_counts(cases[:480], Family())
    m = MeanField(Kernel(structures, counts))
    rng = np.random.default_rng(4)
    starts = np.array([random_q(s, m.shape[1], rng) for s in structures for _ in range(3)])
    algorithm = MeanFieldVBEM(m.kernel.prior_slots(Prior()))
    together = maximise(m, algorithm, np.repeat(range(3), 3), starts, 300)
    for i, s in enumerate(structures):
        own = MeanField(Kernel([s], counts))
        alone = maximise(own, algorithm, np.array([0]), starts[[3 * i]], 300)
        assert alone.objective[0] == together.objective[3 * i]
        assert np.array_equal(alone.log_weights[0], together.log_weights[3 * i])


@pytest.mark.parametrize(
    ("family", "label"),
    [(Family(), "1-1-2-2"), (SMALL, "1-2-2"), (THREE, "1-2-3-1")],
    ids=str,
)
def test_where_no_causes_share_a_child_it_is_variational_em(family, label):
    """The posterior of the hidden variables factorises, given theta: the same steps."""
    s, m = of(family, label, data_of(family, 60))
    alpha = m.kernel.prior_slots(Prior(0.7, 1.3))
    parameters = oracles.random_parameters(s, np.random.default_rng(1))
    weights = np.log(m.kernel.pack(0, parameters))[None]
    log_q = m.start(0, weights[0])[None]
    for _ in range(20):
        joint, weights, _ = VBEM(alpha).step(m.kernel.batch([0]), weights)
        factorised, log_q, _ = MeanFieldVBEM(alpha).step(m.batch([0]), log_q)
        assert factorised[0] == pytest.approx(joint[0], rel=1e-12)
