"""The information that hidden states take away, against definitions written out plainly."""

from decimal import Decimal, localcontext
from itertools import product
from math import isnan, log

import numpy as np
import oracles
import pytest

from latentdag import Family, Structure
from latentdag.data.counts import cell_counts
from latentdag.inference.em import information
from latentdag.inference.em.information import (
    CompleteData,
    em_log_determinants,
    vbem_log_determinant,
)
from latentdag.inference.em.point_estimate import EM
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Parameters, Prior

PRIOR = Prior(0.8, 1.3)
SMALL = [
    ("1-12-2", Family((2, 3), (3, 2, 4))),
    ("1-1", Family((3,), (2, 3))),
    ("12-13-23", Family((2, 2, 2), (3, 2, 2))),
    ("1-12-12-2", Family((2, 2), (2, 3, 2, 2))),
    ("1", Family((2,), (4,))),
    ("1-0-1", Family((2,), (2, 2, 3))),
    ("0-0", Family((), (3, 2))),
]
each_family = pytest.mark.parametrize(("label", "family"), SMALL, ids=str)


class Setting:
    """A structure with random cases and parameters, and what the package says of them."""

    def __init__(self, label, family, n=12, prior=PRIOR, concentration=1.0, seed=1):
        rng = np.random.default_rng(seed)
        self.structure, self.prior = Structure.from_label(label, family), prior
        self.cases = rng.integers(family.observed, size=(n, len(family.observed)))
        self.kernel = Kernel([self.structure], cell_counts(self.cases, family))
        self.alpha = self.kernel.prior_slots(prior)
        self.parameters = oracles.random_parameters(self.structure, rng, concentration)
        self.slots = np.log(self.kernel.pack(0, self.parameters))
        self.size = int(self.kernel.n_coordinates[0])
        # the untied parameter of each slot
        self.index = self.kernel.expand(0, np.arange(self.size))

    def statistics(self, slots=None):
        data = CompleteData(self.kernel, self.alpha)
        return data.statistics(0, self.slots if slots is None else slots)

    def step(self, algorithm, slots):
        return algorithm.step(self.kernel.batch(np.array([0])), slots[None])[1][0]

    def jacobian(self, algorithm, slots, h=1e-4):
        """Of one step, in the logarithms of the untied parameters, by fourth-order differences."""

        def following(x):
            values = np.empty(self.size)
            values[self.index] = self.step(algorithm, self.kernel.expand(0, x))
            return values

        x = np.empty(self.size)
        x[self.index] = slots
        columns = []
        for e in h * np.eye(self.size):
            near, far = (following(x + k * e) - following(x - k * e) for k in (1, 2))
            columns.append((8 * near - far) / (12 * h))
        return np.array(columns).T


def plain_covariance(setting):
    """Sum over cases of the covariance of the indicators, one hidden state after the other; in the
    order of the package's parameters.
    """
    structure, family = setting.structure, setting.structure.family
    place = {}
    for j, (parents, k) in enumerate(zip(structure.parents, family.observed, strict=True)):
        for states in product(*(range(family.hidden[i]) for i in parents)):
            for value in range(k):
                place["y", j, states, value] = len(place)
    for i, k in enumerate(family.hidden):
        for state in range(k):
            place["s", i, state] = len(place)
    mean, covariance = np.zeros(len(place)), np.zeros((len(place), len(place)))
    for case in setting.cases:
        joint = oracles.joint(structure, setting.parameters, tuple(case))
        first, second = np.zeros(len(place)), np.zeros((len(place), len(place)))
        for p, s in zip(joint / joint.sum(), oracles.hidden_states(structure), strict=True):
            t = np.zeros(len(place))
            for i, state in enumerate(s):
                t[place["s", i, state]] = 1
            for j, parents in enumerate(structure.parents):
                t[place["y", j, tuple(s[i] for i in parents), case[j]]] = 1
            first += p * t
            second += p * np.outer(t, t)
        mean += first
        covariance += second - np.outer(first, first)
    return mean, covariance


@each_family
def test_mean_and_covariance_of_the_indicators(label, family):
    setting = Setting(label, family)
    mean, covariance = plain_covariance(setting)
    statistics = setting.statistics()
    np.testing.assert_allclose(statistics.expected, mean, atol=1e-12)
    np.testing.assert_allclose(statistics.covariance, covariance, atol=1e-12)
    rows = [k for p, k in zip(setting.structure.parents, family.observed, strict=True)
            for _ in range(int(np.prod([family.hidden[i] for i in p])))]  # fmt: skip
    lengths = np.bincount(statistics.row)
    assert lengths.tolist() == rows + list(family.hidden)
    assert statistics.n_logits == setting.structure.n_parameters


@pytest.mark.parametrize("length", [1, 200, 1000])
def test_in_pieces_it_is_the_same(monkeypatch, length):
    setting = Setting("1-12-2", Family((2, 3), (3, 2, 4)), n=40)
    whole = setting.statistics()
    monkeypatch.setattr(information, "CHUNK", length)
    pieces = setting.statistics()
    np.testing.assert_allclose(pieces.expected, whole.expected, rtol=1e-12)
    np.testing.assert_allclose(pieces.covariance, whole.covariance, atol=1e-12)


@each_family
def test_weights_need_not_be_normalised(label, family):
    setting = Setting(label, family)
    other = setting.statistics(setting.slots + 3.0)
    np.testing.assert_allclose(other.covariance, setting.statistics().covariance, atol=1e-12)


@pytest.mark.slow
@each_family
@pytest.mark.parametrize("algorithm", [EM, VBEM])
def test_jacobian_of_the_algorithms_in_code(label, family, algorithm):
    """det(I - J) and the eigenvalues of J, with J by differences of EM's and VBEM's own step."""
    setting = Setting(label, family, n=20)
    run = algorithm(setting.alpha)
    slots = setting.slots
    for _ in range(4000):  # to the fixed point, where det(-H) and the map of EM speak of one theta
        slots = setting.step(run, slots)
    jacobian = setting.jacobian(run, slots)
    statistics = setting.statistics(slots)
    sign, expected = np.linalg.slogdet(np.eye(setting.size) - jacobian)
    if algorithm is EM:
        found = em_log_determinants(statistics)[1]
    else:
        found = vbem_log_determinant(statistics)
    assert sign == 1
    assert found == pytest.approx(expected, abs=1e-7)

    eigenvalues = np.sort(np.linalg.eigvals(jacobian).real)
    u = statistics.alpha + statistics.expected
    psi = dirichlet_covariance(u, statistics.row) if algorithm is VBEM else None
    if psi is None:
        same_row = statistics.row[:, None] == statistics.row
        psi = np.diag(1 / u) - same_row / (same_row @ u)
    own = np.sort(np.linalg.eigvals(psi @ statistics.covariance).real)
    np.testing.assert_allclose(own, eigenvalues, atol=1e-6)
    assert eigenvalues[-1] < 1
    assert eigenvalues[0] > -1e-7


def dirichlet_covariance(u, row):
    """Covariance of ln theta, by differences of the mean digamma(u) - digamma(sum u)."""
    from scipy.special import digamma

    same_row = row[:, None] == row

    def mean(u):
        return digamma(u) - digamma(same_row @ u)

    h = 1e-5
    return np.array([(mean(u + e) - mean(u - e)) / (2 * h) for e in h * np.eye(len(u))]).T


class LogPosterior:
    """ln p(y given theta) + ln p(theta) up to a constant, as a function of the logits of which one
    in each row is fixed; in decimal numbers of 60 digits, case by case.
    """

    def __init__(self, setting, fixed):
        self.setting = setting
        family = setting.structure.family
        shapes = [(1, k) for k in family.hidden] + [
            (int(np.prod([family.hidden[i] for i in p])), k)
            for p, k in zip(setting.structure.parents, family.observed, strict=True)
        ]
        tables = (*setting.parameters.hidden, *setting.parameters.observed)
        self.rows, self.free = [], []
        for table, (n_rows, k) in zip(tables, shapes, strict=True):
            for row in np.reshape(table, (n_rows, k)):
                self.free += [(len(self.rows), v) for v in range(k) if v != fixed % k]
                self.rows.append([Decimal(float(p)).ln() for p in row])
        self.n_rows = [n for n, _ in shapes]

    def __call__(self, moves):
        rows = [list(row) for row in self.rows]
        for which, by in moves:
            r, v = self.free[which]
            rows[r][v] += by
        theta = []
        for row in rows:
            weights = [x.exp() for x in row]
            theta.append([w / sum(weights) for w in weights])
        structure, prior = self.setting.structure, self.setting.prior
        hidden = structure.family.hidden
        first = np.cumsum([0, *self.n_rows])
        value = Decimal(0)
        for case in self.setting.cases:
            total = Decimal(0)
            for s in product(*(range(k) for k in hidden)):
                term = Decimal(1)
                for i, state in enumerate(s):
                    term *= theta[first[i]][state]
                for j, parents in enumerate(structure.parents):
                    row = 0
                    for i in parents:
                        row = row * hidden[i] + s[i]
                    term *= theta[first[len(hidden) + j] + row][case[j]]
                total += term
            value += total.ln()
        for r, row in enumerate(theta):
            alpha = Decimal(prior.alpha_hidden if r < len(hidden) else prior.alpha)
            value += alpha * sum(p.ln() for p in row)
        return value

    def hessian(self):
        h, d = Decimal("1e-15"), len(self.free)
        matrix = np.empty((d, d))
        for a in range(d):
            for b in range(a + 1):
                corners = [self([(a, x * h), (b, y * h)]) * x * y for x in (1, -1) for y in (1, -1)]
                matrix[a, b] = matrix[b, a] = float(sum(corners) / (4 * h * h))
        return matrix


@pytest.mark.parametrize("fixed", [0, 1, -1])
@pytest.mark.parametrize(
    ("label", "family", "prior"),
    [
        ("1-1", Family((2,), (3, 2)), Prior(4.0, 2.5)),
        ("1-12", Family((2, 3), (2, 2)), Prior(4.0, 2.5)),
        ("0-1-1", Family((2,), (2, 2, 3)), Prior(6.0, 8.0)),
        ("0-1-1", Family((2,), (2, 2, 3)), Prior(4.0, 2.5)),
        ("0-0", Family((), (3, 2)), Prior(4.0, 2.5)),
    ],
    ids=str,
)
def test_the_hessian_is_that_of_second_differences(label, family, prior, fixed):
    """At any theta, whichever logit of each row is fixed; far from an optimum there may be none."""
    setting = Setting(label, family, n=6, prior=prior, concentration=3.0)
    with localcontext() as context:
        context.prec = 60
        hessian = LogPosterior(setting, fixed).hessian()
    complete, response = em_log_determinants(setting.statistics())
    if np.linalg.eigvalsh(-hessian).min() > 0:
        expected = np.linalg.slogdet(-hessian)[1]
        assert complete + response == pytest.approx(expected, abs=1e-10)
    else:
        assert prior == Prior(4.0, 2.5) and label == "0-1-1"  # the one setting of this kind
        assert isnan(response)


@each_family
def test_the_response_of_em_is_the_ratio_of_observed_to_complete_information(label, family):
    """With Louis' identity written out as matrices, one logit of each row dropped."""
    setting = Setting(label, family, prior=Prior(60.0, 40.0))
    statistics = setting.statistics()
    theta = np.exp(statistics.log_weights)
    same_row = statistics.row[:, None] == statistics.row
    totals = same_row @ (statistics.alpha + statistics.expected)
    complete = np.diag(totals * theta) - same_row * np.outer(totals * theta, theta)
    scores = np.eye(setting.size) - theta[:, None] * same_row  # S = t - theta t_row
    observed = complete - scores @ statistics.covariance @ scores.T
    for drop in (statistics.first, statistics.first + np.bincount(statistics.row) - 1):
        kept = np.setdiff1d(np.arange(setting.size), drop)
        logs = [np.linalg.slogdet(m[np.ix_(kept, kept)])[1] for m in (complete, observed)]
        found = em_log_determinants(statistics)
        assert found[0] == pytest.approx(logs[0], abs=1e-10)
        assert found[1] == pytest.approx(logs[1] - logs[0], abs=1e-10)


def test_without_hidden_causes_nothing_responds():
    setting = Setting("0-0", Family((), (3, 2)), n=30)
    statistics = setting.statistics()
    assert not statistics.covariance.any()
    assert vbem_log_determinant(statistics) == 0
    complete, response = em_log_determinants(statistics)
    assert response == 0
    expected = 0
    for theta, total in zip(setting.parameters.observed, (30 + 3 * 0.8, 30 + 2 * 0.8), strict=True):
        expected += (theta.size - 1) * log(total) + np.log(theta).sum()
    assert complete == pytest.approx(expected, abs=1e-12)


def test_a_saddle_has_no_determinant():
    """All states alike is a fixed point of both algorithms, and where children depend on each other
    no maximum.
    """
    dependent = Setting("1-1", Family((2,), (3, 3)))
    dependent.cases = np.repeat(np.arange(3), 20)[:, None].repeat(2, axis=1)
    counts = cell_counts(dependent.cases, dependent.structure.family)
    dependent.kernel = Kernel([dependent.structure], counts)
    third, half = np.full((2, 3), 1 / 3), np.full(2, 0.5)
    slots = np.log(dependent.kernel.pack(0, Parameters((half,), (third, third))))
    statistics = dependent.statistics(slots)
    np.testing.assert_allclose(dependent.step(EM(dependent.alpha), slots), slots)
    assert np.linalg.eigvals(dependent.jacobian(EM(dependent.alpha), slots)).real.max() > 1
    assert isnan(em_log_determinants(statistics)[1])
    assert isnan(vbem_log_determinant(statistics))


@pytest.mark.parametrize("alpha", [0.01, 1.0, 1e12])
@pytest.mark.parametrize("alpha_hidden", [0.01, 1.0, 1e12])
def test_every_prior_that_is_allowed(alpha, alpha_hidden):
    """A strong prior leaves the hidden states nothing to say: then J is next to nothing."""
    setting = Setting("1-12-2", Family((2, 3), (3, 2, 4)), prior=Prior(alpha, alpha_hidden))
    for algorithm in (EM(setting.alpha), VBEM(setting.alpha)):
        slots = np.maximum(setting.slots, -30)
        for _ in range(1000):
            slots = setting.step(algorithm, slots)
        statistics = setting.statistics(slots)
        complete, em = em_log_determinants(statistics)
        assert np.isfinite(complete)
        # with 12 cases and a weak prior the fit may lie on a saddle, but never beside a number
        for value in (em, vbem_log_determinant(statistics)):
            assert isnan(value) or -200 < value <= 1e-9
        if min(alpha, alpha_hidden) == 1e12:
            assert abs(em) < 1e-9 and abs(vbem_log_determinant(statistics)) < 1e-9
