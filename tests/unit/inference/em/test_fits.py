"""The accelerated optimiser: monotone, sound about convergence, and independent of what is
optimised together; and its fits with a factorised q(s), against loops over cases and states.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import oracles
import pytest
from compiled_anew import anew
from scipy.special import logsumexp

from latentdag import Family, Parameters, Structure
from latentdag.data.counts import cell_counts
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, load, store, vectors
from latentdag.inference.em import fixed_point, optimiser
from latentdag.inference.em.fixed_point import (
    GAIN_TOLERANCE,
    OPTIMA,
    ROUND,
    Algorithm,
    best_of,
    distinct,
    maximise,
    search,
)
from latentdag.inference.em.mean_field import MeanFieldVBEM, starts
from latentdag.inference.em.point_estimate import EM
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel
from latentdag.model.parameters import Prior

pytestmark = pytest.mark.slow  # the optimiser is compiled once more, for scripts

MAPS = {"map": EM, "ml": lambda alpha: EM(None), "vb": VBEM}
each_map = pytest.mark.parametrize("name", MAPS)


def random_starts(kernel, structures, items, rng):
    return np.log(
        np.array([kernel.pack(i, oracles.random_parameters(structures[i], rng)) for i in items])
    )


def kernel_of(labels, counts, family=None):
    structures = [Structure.from_label(label, family or Family()) for label in labels]
    return Kernel(structures, counts), structures


@each_map
@pytest.mark.parametrize(
    ("family", "labels", "prior"),
    [
        (Family(), ["1-12-12-2", "12-12-12-12", "1-1-2-2", "0-1-12-1"], Prior()),
        (Family(), ["1-12-12-2", "12-12-12-12"], Prior(0.2, 1.5)),
        (Family((2,), (2, 2, 2)), ["1-1-1"], Prior(0.5)),
        (Family((2, 2, 2), (2, 2, 2)), ["12-23-13", "123-2-3"], Prior(1.0)),
        (Family((2, 3), (3, 2, 4)), ["12-2-1", "12-12-12"], Prior(2.0, 0.7)),
        (Family(), ["1-12-12-2"], Prior(1e5)),
        (Family(), ["1-12-12-2"], Prior(1e12)),
        (Family((2, 3), (3, 2, 4)), ["12-2-1"], Prior(1.0, 1e12)),
    ],
    ids=str,
)
def test_the_objective_never_decreases(cases, name, family, labels, prior):
    """By the objective that a step itself returns: cycle by cycle at first, later now and then."""
    rng = np.random.default_rng(5)
    data = (
        cases[:200]
        if family == Family()
        else np.column_stack([rng.integers(k, size=60) for k in family.observed])
    )
    kernel, structures = kernel_of(labels, cell_counts(data, family), family)
    items = np.repeat(np.arange(len(labels)), 25)
    starts = random_starts(kernel, structures, items, rng)
    alpha = kernel.prior_slots(prior)
    # EM's objective adds alpha ln theta, and ln theta is rounded
    rounding = 1e-15 * alpha.max() * alpha.size if name == "map" else 0
    algorithm, batch = MAPS[name](alpha), kernel.batch(items)
    first = last = algorithm.step(batch, starts)[0]
    for limit in (*range(3, 91, 3), *range(120, 601, 60)):
        fits = maximise(kernel, algorithm, items, starts, limit)
        now, after, _ = algorithm.step(batch, fits.log_weights)
        ahead, _, _ = algorithm.step(batch, after)
        for lower, higher in ((last, fits.objective), (fits.objective, now), (now, ahead)):
            assert (lower - higher <= 1e-12 * np.abs(higher) + rounding).all()
        last = fits.objective
    assert (last > first + 1e-3).all()  # and it did climb


class Script(NamedTuple):
    """A problem whose objective follows a script, call by call; at the end it stays."""

    share: np.ndarray  # (rows, LANES)
    mass: float
    values: np.ndarray  # (calls,)
    calls: np.ndarray  # (1,): so far


@compiled
def step(problem, log_weights, after, mass):
    objective = everywhere(problem.values[min(problem.calls[0], len(problem.values) - 1)])
    problem.calls[0] += 1
    for k in range(len(after)):
        store(after, k, load(log_weights, k) + 0.01)
        store(mass, k, everywhere(problem.mass))
    return objective


# Of scripts no machine code is kept: what numba keeps of the package must not name the types of a
# module that other processes do not find.
scripted = anew(optimiser)
scripted.implement(Script, step=step)


@dataclass
class Scripted(Algorithm):
    values: tuple
    mass: float = 1.0

    def problem(self, batch):
        share = vectors(batch.share[0].size)
        share[:] = 1.0
        calls = np.zeros(1, dtype=int)
        return Script(share, float(self.mass), np.array(self.values, dtype=float), calls)


@pytest.fixture
def climbed(cases, monkeypatch):
    """A function that runs one scripted fit of a structure without ties."""
    monkeypatch.setattr(fixed_point, "optimiser", scripted)
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    return lambda *script: maximise(kernel, Scripted(*script), np.array([0]), start, 100)


@pytest.mark.parametrize(
    ("size", "rounding"), [({}, 1e-9), ({"objective": -1e6}, 1e-5), ({"mass": 1e12}, 0.06)], ids=str
)
def test_a_decrease_beyond_rounding_is_an_error_not_convergence(climbed, size, rounding):
    """What counts as rounding grows with the terms that are added."""
    objective, mass = size.get("objective", -100.0), size.get("mass", 1.0)
    climbed(objective - 0.5 * rounding * np.arange(1, 101), mass)
    for drop in (2 * rounding, 1.0):
        with pytest.raises(FloatingPointError, match="decreased"):
            climbed(objective - drop * np.arange(1, 101), mass)


@pytest.mark.parametrize("objectives", [[0, -1], [0, 0, 0, -1], [0, 0, 2, 1]], ids=str)
def test_a_decrease_is_seen_at_each_of_the_plain_steps_of_a_cycle(climbed, objectives):
    """Only the third step, from an extrapolation, may lead down: then it is not kept."""
    with pytest.raises(FloatingPointError, match="decreased by 1 nats"):
        climbed(objectives)
    climbed([0, 0, -1, 0])


def test_a_saddle_is_no_optimum(cases):
    """Without a prior, a hidden state of probability 1e-200 that would fit better weighs nothing,
    and grows all the same.

    Extrapolation leads to such points: up to 7 of 64 likelihood fits once stopped at one, with as
    much as 2.5 nats to gain.
    """
    s = Structure.from_label("1-1-1-1").without_childless()
    kernel = Kernel([s], cell_counts(cases[:80], Family()))
    margins = [np.bincount(cases[:80, j], minlength=5) / 80 for j in range(4)]
    better = [np.bincount(cases[:80, j][cases[:80, 0] == 2], minlength=5) + 0.1 for j in range(4)]
    rows = tuple(np.array([m, b / b.sum()]) for m, b in zip(margins, better, strict=True))
    start = np.log(kernel.pack(0, Parameters((np.array([1.0, 1e-200]),), rows)))[None]
    before = EM(None).step(kernel.batch([0]), start)[0][0]
    fits = maximise(kernel, EM(None), np.array([0]), start, 30_000)
    assert fits.converged[0]
    assert fits.objective[0] > before + 5


def test_an_error_names_its_structure(cases):
    kernel, structures = kernel_of(["1-12-12-2", "1-1-2-2"], cell_counts(cases[:20], Family()))
    starts = random_starts(kernel, structures, [0, 1, 0], np.random.default_rng(0))
    starts[1] = -800
    with pytest.raises(FloatingPointError, match="1-1-2-2: an observed cell has probability 0"):
        maximise(kernel, EM(None), [0, 1, 0], starts, 100)


@pytest.fixture
def peaks(monkeypatch):
    """Every fit ends where it begins, and its objective is its first log weight."""

    def done_at_once(kernel, algorithm, searches, *_):
        results = []
        for run in searches:
            fits = None
            try:
                while True:
                    fits, _ = run.send(fits)
                    fits.objective[:], fits.converged[:] = fits.log_weights[:, 0, 0], True
            except StopIteration as stop:
                results.append(stop.value)
        return results

    monkeypatch.setattr(fixed_point, "run_together", done_at_once)


def rule(restarts, hits):
    return {"restarts": restarts, "hits": hits, "max_iterations": 30_000}


def point(height):
    return np.full((4, 24), float(height))


LABELS = ["1-12-12-2", "1-1-2-2", "12-12-12-12", "1-2-12-12", "1-1-12-2"]


def run_peaks(cases, heights, settings, first=None):
    kernel, _ = kernel_of(LABELS[:1], cell_counts(cases[:20], Family()))
    begun = []

    def start(s, r):
        begun.append(r)
        return point(heights[r])

    first = None if first is None else [[point(first)]]
    (best,) = search(kernel, None, start, settings, first=first)
    return (best.objective, best.restarts, best.restarts_at_best), begun


@pytest.mark.usefixtures("peaks")
def test_restarts_come_in_whole_rounds_until_the_best_was_hit_often_enough(cases):
    heights = [0.0] * 5 + [5.0] + [0.0] * 7 + [5.0 - 0.011, 5.0, 5.0 - 0.009] + [9.0] * 3 + [0.0]
    best, begun = run_peaks(cases, heights, rule(20, 3))
    # after round 1 the best (5) was hit once, after round 2 three times: within 0.01 nats
    assert begun == list(range(2 * ROUND))
    assert best == (5.0, 16, 3)
    best, begun = run_peaks(cases, heights, rule(20, 4))
    # 9 turns up in the last, shorter round; what was hit before no longer counts
    assert begun == list(range(20))
    assert best == (9.0, 20, 3)
    best, begun = run_peaks(cases, heights, rule(5, 1))
    assert begun == list(range(5))
    assert best == (0.0, 5, 5)
    # a given start counts as a restart; the rule is looked at after a round
    best, begun = run_peaks(cases, [0.0] * 20, rule(20, 1), first=7.0)
    assert begun == list(range(ROUND)) and best == (7.0, 1 + ROUND, 1)


@pytest.mark.usefixtures("peaks")
@pytest.mark.parametrize("at_once", [1, 8, 100])
def test_the_best_of_known_starts(cases, at_once):
    kernel, _ = kernel_of(LABELS, cell_counts(cases[:20], Family()))
    heights = [[3.0, 1.0], [2.0], [4.0, 9.0, 5.0], [0.0, 7.0], [8.0]]
    reports = []
    starts = (list(map(point, peaks_of_one)) for peaks_of_one in heights)
    best = best_of(kernel, None, starts, 30, reports.append, at_once)
    assert [fit.objective.item() for fit in best] == [3, 2, 9, 7, 8]
    assert [fit.items.item() for fit in best] == [0, 1, 2, 3, 4]
    assert reports == [1] * 5


@pytest.mark.usefixtures("peaks")
@pytest.mark.parametrize("at_once", [1, 2, 16])
def test_every_structure_has_its_own_starts_however_many_are_held_at_once(
    cases, at_once, monkeypatch
):
    """The highest of 0, 0.1 and 0.2 above the structure's own 10 s, or its first start."""
    kernel, _ = kernel_of(LABELS, cell_counts(cases[:20], Family()))
    monkeypatch.setattr(fixed_point, "FITS_HELD", at_once)
    first, reports = [[point(10 * s + (5 if s % 2 else -5))] for s in range(5)], []

    def start(s, r):
        return point(10 * s + r / 10)

    best = search(kernel, None, start, rule(3, 3), first=first, report=reports.append)
    assert [b.objective for b in best] == pytest.approx([0.2, 15, 20.2, 35, 40.2])
    assert [b.log_weights[0, 0] for b in best] == [b.objective for b in best]
    assert sum(reports) == pytest.approx(5)


def test_the_best_fit_goes_on_to_the_tolerance_asked_for(cases):
    """``converged`` and the counts are those of the search; iterations go on."""
    kernel, structures = kernel_of(["0-1-12-1"], cell_counts(cases[:480], Family()))
    em = EM(kernel.prior_slots(Prior()))
    starts = random_starts(kernel, structures, [0] * 3, np.random.default_rng(0))
    (plain,), (polished,) = (
        search(kernel, em, lambda s, r: starts[r], rule(3, 3), tolerance, enough=GAIN_TOLERANCE)
        for tolerance in (GAIN_TOLERANCE, 1e-12)
    )
    alone = [maximise(kernel, em, np.array([0]), [start], 30_000) for start in starts]
    best = max(alone, key=lambda fits: fits.objective[0])
    assert plain.iterations == best.iterations[0]
    assert plain.objective == best.objective[0]
    assert len({fits.iterations[0] for fits in alone}) > 1
    assert polished.iterations > plain.iterations
    assert (polished.restarts, polished.restarts_at_best) == (3, plain.restarts_at_best)
    assert plain.converged and polished.converged
    batch, weights = kernel.batch([0]), polished.log_weights[None]
    _, after, mass = em.step(batch, weights)
    # a step gains at least half its square, in the metric of the complete data
    assert 0.5 * batch.total(mass * (after - weights) ** 2)[0] < 1e-12


SLOW = ["0-1-12-1", "1-1-2-2", "1-12-12-2", "12-12-12-1", "12-12-12-12"]


@each_map
@pytest.mark.parametrize("n", [80, 480, 2560])
def test_converged_means_that_nothing_is_left_to_gain(cases, name, n):
    """20000 more plain steps from each of 15 or 25 converged fits gain less than the tolerance."""
    kernel, structures = kernel_of(SLOW, cell_counts(cases[:n], Family()))
    rng = np.random.default_rng(n)
    items = np.repeat(np.arange(len(SLOW)), 3 if name == "ml" else 5)
    algorithm = MAPS[name](kernel.prior_slots(Prior()))
    fits = maximise(
        kernel, algorithm, items, random_starts(kernel, structures, items, rng), 100_000
    )
    assert fits.converged.all()
    batch, weights, before = kernel.batch(items), fits.log_weights, fits.objective
    assert (algorithm.step(batch, weights)[0] >= before - 1e-12 * abs(before)).all()
    # a plain step moves less and less: when 500 of them gain no more than rounding the rest is
    # skipped for all
    last = before
    for k in range(20_000):
        objective, weights, _ = algorithm.step(batch, weights)
        if k % 500 == 499:
            if (objective - last <= 1e-13 * np.abs(objective)).all():
                break
            last = objective
    assert (objective - before < GAIN_TOLERANCE).all()


def test_distinct_values_come_best_first_and_end_with_the_width():
    values = np.array([-5.0, 0.0, -0.0005, -20.0, -3.0, -3.0005, -20.0005])
    assert distinct(values) == [1, 4, 0, 3]
    assert distinct(values, width=4.0) == [1, 4]
    assert distinct(-np.arange(2.0 * OPTIMA)) == list(range(OPTIMA))


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
        rows = slice(first[h], first[h] + k)
        others = np.exp(joint(q) - q[first[h] + states[:, h]].T) * log_completed
        logs = np.array([others[:, states[:, h] == value].sum(axis=1) for value in range(k)])
        q[rows] = logs - logsumexp(logs, axis=0)
    algorithm = MeanFieldVBEM(kernel.prior_slots(prior))
    objective, after, mass = algorithm.step(kernel.batch([0]), log_q[None])
    assert objective[0] == pytest.approx(bound, rel=1e-12)
    assert np.allclose(mass[0], numbers * np.exp(log_q), rtol=1e-12)
    assert np.allclose(np.exp(after[0]), np.exp(q), rtol=1e-10)


def test_a_start_where_a_marginal_underflows_is_a_number():
    _, kernel = of(SMALL, "12-2-12", oracles.dependent_cases(SMALL, 9, 3, 0.6))
    weights = np.zeros((kernel.n_states, kernel.n_columns))
    weights[:3] = -800  # the first state of s1 has a probability of exp(-4000)
    log_q = starts(kernel, [weights])[0]
    assert np.allclose(log_q[0], -4000) and np.allclose(log_q[1], 0)
