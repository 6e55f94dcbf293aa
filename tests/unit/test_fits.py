"""The accelerated optimiser: monotone, sound about convergence, and independent of what is
optimised together.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import oracles
import pytest
from compiled_anew import anew
from scipy.special import digamma

from latentdag import Family, Parameters, Structure, enumerate_structures
from latentdag.data.counts import cell_counts
from latentdag.engine.jit import compiled
from latentdag.engine.simd import everywhere, fma, load, store, vectors
from latentdag.inference.em import fixed_point, optimiser, restarts
from latentdag.inference.em.fixed_point import (
    GAIN_TOLERANCE,
    Algorithm,
    maximise,
)
from latentdag.inference.em.point_estimate import EM
from latentdag.inference.em.restarts import (
    ENOUGH,
    OPTIMA,
    ROUND,
    Restarts,
    best_of,
    distinct,
    search,
)
from latentdag.inference.em.vbem import VBEM
from latentdag.inference.slots import Kernel, hidden_families
from latentdag.model.parameters import Prior

pytestmark = pytest.mark.slow  # the optimiser is compiled once more, for scripts

MAPS = {
    "map": lambda alpha: EM(alpha),
    "ml": lambda alpha: EM(None),
    "vb": lambda alpha: VBEM(alpha),
}
each_map = pytest.mark.parametrize("name", MAPS)


def test_the_next_weights_of_variational_em_are_expected_logarithms(cases):
    """E[ln theta] = psi(u) - psi(sum of u) under Dirichlet(u), u = alpha + expected counts."""
    s = Structure.from_label("12-2-1", Family((2, 3), (3, 2, 4)))
    data = cases[:30, :3] % [3, 2, 4]
    kernel = Kernel([s], cell_counts(data, s.family))
    parameters = oracles.random_parameters(s, np.random.default_rng(7))
    algorithm = VBEM(kernel.prior_slots(Prior(0.6, 1.7)))
    after, u = algorithm.step(kernel.batch([0]), np.log(kernel.pack(0, parameters))[None])[1:]
    hidden, observed = oracles.expected_counts(s, parameters, data)
    expected = [c + 1.7 for c in hidden], [c + 0.6 for c in observed]
    assert np.allclose(u[0], oracles.as_slots(s, *expected), rtol=1e-12)
    logs = [
        [digamma(t) - digamma(t.sum(axis=-1, keepdims=True)) for t in tables] for tables in expected
    ]
    assert np.allclose(after[0], oracles.as_slots(s, *logs), rtol=1e-11)


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
    """At any step of any of many random starts, by the objective that a step itself returns; the
    first cycles one by one, later ones now and then.
    """
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
        here, after, _ = algorithm.step(batch, fits.log_weights)
        ahead, _, _ = algorithm.step(batch, after)
        for lower, higher in ((last, fits.objective), (fits.objective, here), (here, ahead)):
            assert (lower - higher <= 1e-12 * np.abs(higher) + rounding).all()
        last = fits.objective
    assert (last > first + 1e-3).all()  # and it did climb


@pytest.mark.parametrize("label", ["1-12-12-2", "1-1-2-2"])
def test_the_objective_is_the_one_documented(cases, label):
    kernel, (s,) = kernel_of([label], cell_counts(cases[:40], Family()))
    parameters = oracles.random_parameters(s, np.random.default_rng(6))
    weights = np.log(kernel.pack(0, parameters))[None]
    log_likelihood = oracles.log_likelihood(s, parameters, cases[:40])
    log_theta = [np.log(p).sum() for p in (*parameters.hidden, *parameters.observed)]
    alpha = kernel.prior_slots(Prior(0.6, 1.7))
    assert EM(None).step(kernel.batch([0]), weights)[0][0] == pytest.approx(
        log_likelihood, rel=1e-12
    )
    # relative to the peak of the prior, where every theta is 1 / K
    sizes = [np.size(p) for p in (*parameters.hidden, *parameters.observed)]
    relative = [
        x + size * np.log(k)
        for x, size, k in zip(log_theta, sizes, (2, 2, 5, 5, 5, 5), strict=True)
    ]
    expected = log_likelihood + 1.7 * sum(relative[:2]) + 0.6 * sum(relative[2:])
    assert EM(alpha).step(kernel.batch([0]), weights)[0][0] == pytest.approx(expected, rel=1e-12)
    # M step: (pseudo-counts + expected counts) / sum
    hidden, observed = oracles.expected_counts(s, parameters, cases[:40])
    for algorithm, a, h in ((EM(alpha), 0.6, 1.7), (EM(None), 0.0, 0.0)):
        rows = [
            (c + p) / (c + p).sum(axis=-1, keepdims=True)
            for c, p in [(c, h) for c in hidden] + [(c, a) for c in observed]
        ]
        after = algorithm.step(kernel.batch([0]), weights)[1][0]
        assert np.allclose(
            np.exp(after), oracles.as_slots(s, rows[:2], rows[2:]), rtol=1e-10, atol=1e-14
        )


class Script(NamedTuple):
    """A problem that follows a script, call by call; the last entries hold for all later calls."""

    share: np.ndarray  # (rows, LANES)
    mass: float
    values: np.ndarray  # (calls,): the objective where all log weights are 0
    heights: np.ndarray  # (rows,): its slope there
    bends: np.ndarray  # (rows,): and minus the half of its second derivative, by the mass
    rates: np.ndarray  # (rows,): what log weights are multiplied by
    moves: np.ndarray  # (calls, rows): what is added to them
    calls: np.ndarray  # (1,): so far


@compiled
def begin(problem, lane, item):
    pass


@compiled
def ready(problem):
    pass


@compiled
def step(problem, log_weights, after, mass):
    call = problem.calls[0]
    problem.calls[0] += 1
    objective = everywhere(problem.values[min(call, len(problem.values) - 1)])
    moves = problem.moves[min(call, len(problem.moves) - 1)]
    for k in range(len(after)):
        x = load(log_weights, k)
        bent = load(problem.share, k) * problem.bends[k] * problem.mass
        objective = fma(problem.heights[k] - bent * x, x, objective)
        store(after, k, problem.rates[k] * x + moves[k])
        store(mass, k, everywhere(problem.mass))
    return objective


@compiled
def feasible(problem, log_weights):
    pass


# Of scripts no machine code is kept: what numba keeps of the package must not name the types of a
# module that other processes do not find.
scripted = anew(optimiser)
scripted.implement(Script, begin=begin, ready=ready, step=step, feasible=feasible)


class EitherOptimiser:
    """The copy for scripts, and the package's optimiser for all else."""

    def __getattr__(self, name):
        def call(problem, *others):
            module = scripted if isinstance(problem, Script) else optimiser
            return getattr(module, name)(problem, *others)

        return call if name in ("run", "lanes_for", "steps") else getattr(optimiser, name)


@pytest.fixture(autouse=True)
def either(monkeypatch):
    monkeypatch.setattr(fixed_point, "optimiser", EitherOptimiser())


@dataclass
class Scripted(Algorithm):
    """An algorithm that does as it is told; what is not given is 0, or 1 for mass and rates."""

    values: tuple = (0.0,)
    heights: tuple = ()
    bends: tuple = ()
    rates: tuple | None = None
    moves: tuple = ((),)
    mass: float = 1.0

    def problem(self, batch):
        rows = batch.share[0].size
        share = vectors(rows)
        share[:] = batch.share[0].reshape(-1, 1)

        def padded(numbers):
            return np.append(numbers, np.zeros(rows - len(numbers)))

        return Script(
            share,
            float(self.mass),
            np.array(self.values, dtype=float),
            padded(self.heights),
            padded(self.bends),
            np.ones(rows) if self.rates is None else padded(self.rates),
            np.array([padded(move) for move in self.moves]),
            np.zeros(1, dtype=int),
        )


@pytest.fixture
def climbed(cases):
    """A function that runs one fit of a structure without ties: every slot is a coordinate."""
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))

    def run(algorithm, start, limit, *tolerance):
        start = np.broadcast_to(start, (1, kernel.n_states, kernel.n_columns))
        return maximise(kernel, algorithm, np.array([0]), start, limit, *tolerance)

    return run


def downhill(drop, objective=-100.0, mass=1.0):
    """A broken algorithm: its objective falls a little at each step."""
    values = objective - drop * np.arange(1, 101)
    return Scripted(values, moves=(0.01 * np.ones(96),), mass=mass)


def modes(rates, mass=3.0):
    """A linear map about 0 whose coordinate i shrinks by the factor ``rates[i]``, all others to 0
    at once, and the objective that belongs to it.
    """
    rates = np.append(rates, np.zeros(96 - len(rates)))
    return Scripted(rates=rates, bends=0.5 * (1 - rates), mass=mass)


@pytest.mark.parametrize(
    ("size", "rounding"),
    [({}, 1e-9), ({"objective": -1e6}, 1e-5), ({"mass": 1e12}, 0.06)],
    ids=str,
)
def test_a_decrease_beyond_rounding_is_an_error_not_convergence(climbed, size, rounding):
    """What counts as rounding grows with the terms that are added."""
    climbed(downhill(0.5 * rounding, **size), 0.0, 100)
    for drop in (2 * rounding, 1.0):
        with pytest.raises(FloatingPointError, match="decreased"):
            climbed(downhill(drop, **size), 0.0, 100)


@pytest.mark.parametrize("objectives", [[0, -1], [0, 0, 0, -1], [0, 0, 2, 1]], ids=str)
def test_a_decrease_is_seen_at_each_of_the_plain_steps_of_a_cycle(climbed, objectives):
    """Only the third step, from an extrapolation, may lead down: then it is not kept."""

    moves = (0.01 * np.ones(96),)
    with pytest.raises(FloatingPointError, match="decreased by 1 nats"):
        climbed(Scripted(objectives, moves=moves), 0.0, 9)
    climbed(Scripted([0, 0, -1, 0], moves=moves), 0.0, 9)


def test_a_change_that_weighs_nothing_is_left_out_of_the_extrapolation(climbed):
    """Its square underflows, and the inverse of that overflowed once: warnings are errors here."""

    fits = climbed(modes([0.99, 0.5], mass=3e-300), 1e-9, 60)
    assert fits.converged[0] and fits.iterations[0] == 3 * optimiser.QUIET  # nothing to gain
    assert np.isfinite(fits.log_weights).all()


def test_an_extrapolation_that_led_to_no_numbers_is_forgotten(climbed):
    """The third step of the first cycle, which is not accepted, leads to infinity."""
    usual = modes([0.9999, 0.99, 0.5])
    astray = replace(usual, values=(0, 0, -1, 0), moves=((), (), (np.inf,), ()))
    iterations = [climbed(algorithm, 0.5, 300).iterations[0] for algorithm in (usual, astray)]
    assert iterations[1] == iterations[0] + 3


def test_a_linear_map_is_solved_in_as_many_cycles_as_it_has_modes(climbed):
    start = np.random.default_rng(0).normal(size=(4, 24))
    algorithm = modes([0.9999, 0.999, 0.99, 0.95, 0.5])
    # five modes, five cycles of three steps; a plain step leaves 0.9999 of the slowest mode's
    # distance, and four cycles leave 2e-6 nats
    assert climbed(algorithm, start, 12).objective[0] < -1e-7
    assert -1e-18 < climbed(algorithm, start, 15).objective[0] <= 0
    assert climbed(algorithm, start, 300).converged[0]


@pytest.mark.parametrize(
    ("begin", "steps", "reached"),
    [([0.5, 0.01, 0.01, 0.01], 24, 10), ([0.01, 0.5, 0.5, 0.5], 60, 0.1)],
)
def test_a_saddle_is_left_fast(climbed, begin, steps, reached):
    """A mode that grows by 1 part in 1000 at every step: plain steps would need 3000 or 2300 of
    them.
    """
    start = np.zeros((4, 24))
    start[0, :4] = begin
    fits = climbed(modes([1.001, 0.99, 0.9, 0.5]), start, steps)
    assert abs(fits.log_weights.flat[0]) > reached
    assert not fits.converged[0]


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


@each_map
def test_the_iteration_limit_is_not_passed_over(cases, name):
    kernel, structures = kernel_of(["1-12-12-2"], cell_counts(cases[:480], Family()))
    starts = random_starts(kernel, structures, [0, 0], np.random.default_rng(0))
    algorithm = MAPS[name](kernel.prior_slots(Prior()))
    fits = maximise(kernel, algorithm, np.array([0, 0]), starts, 6)
    assert not fits.converged.any()
    assert (fits.iterations == 6).all()
    assert not search(kernel, algorithm, lambda s, r: starts[r], Restarts(2, 2, max_iterations=6))[
        0
    ].converged
    assert search(kernel, algorithm, lambda s, r: starts[r], Restarts(2, 2))[0].converged


def test_an_error_names_its_structure(cases):
    kernel, structures = kernel_of(["1-12-12-2", "1-1-2-2"], cell_counts(cases[:20], Family()))
    starts = random_starts(kernel, structures, [0, 1, 0], np.random.default_rng(0))
    starts[1] = -800
    with pytest.raises(FloatingPointError, match="1-1-2-2: an observed cell has probability 0"):
        maximise(kernel, EM(None), [0, 1, 0], starts, 100)


@each_map
def test_a_structure_alone_and_in_a_group_are_the_same_to_the_bit(cases, name):
    (_, _), (_, _), (_, structures) = hidden_families(enumerate_structures())
    structures = structures[::3]  # 40 structures, several batches
    counts = cell_counts(cases[:80], Family())
    settings = Restarts(12, 3, max_iterations=600)  # some stop there: that too must be the same

    def starts(kernel, group):
        return lambda s, r: np.log(
            kernel.pack(
                s,
                oracles.random_parameters(
                    group[s], np.random.default_rng([r, *group[s].label.encode()])
                ),
            )
        )

    def run(group):
        kernel = Kernel(group, counts)
        return search(
            kernel, MAPS[name](kernel.prior_slots(Prior())), starts(kernel, group), settings
        )

    together = run(structures)
    for i in range(0, len(structures), 6):
        alone = run([structures[i]])
        for field in (
            "objective",
            "log_weights",
            "iterations",
            "converged",
            "restarts",
            "restarts_at_best",
        ):
            assert np.array_equal(getattr(alone[0], field), getattr(together[i], field)), field


def test_converged_only_after_three_quiet_cycles_in_a_row(climbed):
    moves = [0, 0, 1, 0, 1, 0, 0, 0, 1]
    walking = Scripted(moves=[[0.01 * move] * 96 for move in moves for _ in range(3)])
    fits = climbed(walking, 0.0, 1000)
    assert fits.converged[0]
    assert fits.iterations[0] == 3 * 8


def paced(cycles):
    """Steps of given lengths for every cycle, two plain ones and a third, all in one direction."""
    moves = []
    for direction, *lengths in cycles:
        moves += [[0] * direction + [length] for length in lengths]
    return Scripted(moves=moves)


def test_a_slow_direction_is_remembered_for_a_cycle(climbed):
    """What is left to gain is estimated from the slowest rate of two cycles: a step that shrinks by
    a tenth hides one that shrank by a thousandth just before.
    """
    slow, fast = (0, 1e-3, 0.999e-3, 0), (1, 1e-4, 1e-5, 0)
    fits = climbed(paced([slow] + [fast] * 9), 0.0, 1000)
    assert fits.converged[0]
    assert fits.iterations[0] == 3 * (1 + 1 + 3)


def test_converged_to_the_tolerance_asked_for(climbed):
    """In every one of these cycles some 1e-11 nats are left to gain."""
    cycles = [(1, 1e-4, 1e-5 / 2, 0)] * 9
    for tolerance, converged in ((1e-6, True), (1e-8, True), (1e-10, False)):
        fits = climbed(paced(cycles), 0.0, 24, tolerance)
        assert fits.converged[0] == converged
        assert fits.iterations[0] == (12 if converged else 24)


PEAKS = Scripted(heights=(1.0,))  # stays where it is; the objective is the first weight


def run_peaks(cases, heights, settings, first=None):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    asked = []

    def point(height):
        return np.full((kernel.n_states, kernel.n_columns), float(height))

    def start(s, r):
        asked.append(r)
        return point(heights[r])

    (best,) = search(
        kernel, PEAKS, start, settings, first=None if first is None else [[point(first)]]
    )
    return (best.objective, best.restarts, best.restarts_at_best), asked


def test_restarts_come_in_whole_rounds_until_the_best_was_hit_often_enough(cases):
    heights = [0.0] * 5 + [5.0] + [0.0] * 7 + [5.0 - 0.011, 5.0, 5.0 - 0.009] + [9.0] * 3 + [0.0]
    best, asked = run_peaks(cases, heights, Restarts(20, hits=3))
    # after round 1 the best (5) was hit once, after round 2 three times: within 0.01 nats
    assert asked == list(range(2 * ROUND))
    assert best == (5.0, 16, 3)
    best, asked = run_peaks(cases, heights, Restarts(20, hits=4))
    # 9 turns up in the last, shorter round; what was hit before no longer counts
    assert asked == list(range(20))
    assert best == (9.0, 20, 3)
    best, asked = run_peaks(cases, heights, Restarts(5, hits=1))
    assert asked == list(range(5))
    assert best == (0.0, 5, 5)
    best, asked = run_peaks(cases, heights, Restarts(20, hits=7))
    assert asked == list(range(20))


def test_only_the_best_restart_goes_on_to_the_end(cases, monkeypatch):
    """Hits are counted, and a better restart is looked for, at what the best ends with."""
    asked, objectives = (
        [],
        [
            [5.0, 5.0, 1.0, 4.995, 2.0, 2.0, 2.0, 2.0],
            [6.0],  # what three had reached is a saddle
            [5.5, 6.0, 3.0, 5.0, 2.0, 2.0, 2.0, 2.0],  # none better, one as good
            [6.0],
        ],
    )

    def told(kernel, algorithm, searches, limit):
        """Fits end at the objectives that are given."""
        (run,) = searches
        fits, tolerance = next(run)
        for own in objectives:
            asked.append((fits.log_weights[:, 0, 0].tolist(), tolerance))
            fits.objective[:], fits.converged[:] = own, True
            try:
                fits, tolerance = run.send(fits)
            except StopIteration as stop:
                return [stop.value]

    monkeypatch.setattr(restarts, "run_together", told)
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    rule = Restarts(20, hits=2)
    (best,) = search(kernel, None, lambda s, r: np.full((1, 1), r), rule, 1e-12)
    first, second = list(range(8)), list(range(8, 16))
    assert asked == [(first, ENOUGH), ([0], GAIN_TOLERANCE), (second, ENOUGH), ([0], 1e-12)]
    assert (best.objective, best.restarts, best.restarts_at_best) == (6.0, 16, 2)
    assert best.optima[:4, 0, 0].tolist() == [0, 8, 11, 3]


def test_a_restart_at_its_limit_of_steps_does_not_go_on(cases):
    kernel, structures = kernel_of(["0-1-12-1"], cell_counts(cases[:480], Family()))
    starts = random_starts(kernel, structures, [0] * 2, np.random.default_rng(0))
    em = EM(kernel.prior_slots(Prior()))
    rule = Restarts(2, 2, max_iterations=9)
    (best,) = search(kernel, em, lambda s, r: starts[r], rule, 1e-12)
    assert (best.iterations, best.converged) == (9, False)


def test_distinct_optima_are_kept_best_first(cases):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    heights = [1.0, 5.0, 5.0 - 0.0009, 3.0, 2.0, 4.0, 5.0, 3.0 + 0.009]
    heights += [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    (best,) = search(
        kernel,
        PEAKS,
        lambda s, r: np.full((kernel.n_states, kernel.n_columns), heights[r]),
        Restarts(16, 16),
    )
    assert best.optima.shape == (OPTIMA, kernel.n_states, kernel.n_columns)
    assert best.optima[:, 0, 0].tolist() == [5, 4, 3.009, 3, 2, 1, 0.9, 0.8]


@pytest.mark.parametrize("at_once", [1, 8, 100])
def test_the_best_of_known_starts(cases, at_once):
    labels = ["1-12-12-2", "1-1-2-2", "12-12-12-12", "1-2-12-12", "1-1-12-2"]
    kernel, _ = kernel_of(labels, cell_counts(cases[:20], Family()))
    heights = [[3.0, 1.0], [2.0], [4.0, 9.0, 5.0], [0.0, 7.0], [8.0]]
    reports = []
    starts = ([np.full((kernel.n_states, kernel.n_columns), x) for x in own] for own in heights)
    best = best_of(kernel, PEAKS, starts, 30, reports.append, at_once)
    assert [fit.objective.item() for fit in best] == [3, 2, 9, 7, 8]
    assert [fit.items.item() for fit in best] == [0, 1, 2, 3, 4]
    assert reports == [1] * 5


def test_the_first_start_counts_as_a_restart(cases):
    best, asked = run_peaks(cases, [0.0] * 20, Restarts(20, hits=1), first=7.0)
    assert asked == list(range(ROUND))  # the rule is looked at after a round
    assert best == (7.0, 1 + ROUND, 1)
    best, asked = run_peaks(cases, [0.0] * 20, Restarts(20, hits=2), first=7.0)
    assert len(asked) == 20
    assert best == (7.0, 21, 1)


@pytest.mark.parametrize(("hits", "started"), [(20, 20), (1, 8)])
def test_reports_add_up_to_one_structure(cases, hits, started):
    """However early a structure stops."""
    kernel, _ = kernel_of(["1-12-12-2", "1-1-2-2"], cell_counts(cases[:20], Family()))
    reports = []
    best = search(
        kernel,
        PEAKS,
        lambda s, r: np.zeros((kernel.n_states, kernel.n_columns)),
        Restarts(20, hits),
        report=reports.append,
    )
    assert [b.restarts for b in best] == [started, started]
    assert len(reports) > 2
    assert sum(reports) == pytest.approx(2)


@pytest.mark.parametrize("at_once", [1, 2, 16])
def test_every_structure_has_its_own_starts_however_many_are_held_at_once(cases, at_once):
    labels = ["1-12-12-2", "1-1-2-2", "12-12-12-12", "1-2-12-12", "1-1-12-2"]
    kernel, _ = kernel_of(labels, cell_counts(cases[:20], Family()))

    def point(height):
        return np.full((kernel.n_states, kernel.n_columns), float(height))

    first = [point(10 * s + (5 if s % 2 else -5)) for s in range(5)]
    best = search(
        kernel,
        PEAKS,
        lambda s, r: point(10 * s + r / 10),
        Restarts(3, 3),
        first=[[x] for x in first],
        at_once=at_once,
    )
    # the highest of 0, 0.1 and 0.2 above the structure's own 10 s, or its first start
    assert [b.objective for b in best] == pytest.approx([0.2, 15, 20.2, 35, 40.2])
    assert [b.log_weights[0, 0] for b in best] == [b.objective for b in best]


def test_the_best_fit_goes_on_to_the_tolerance_asked_for(cases):
    """``converged`` and the counts are those of the search; iterations go on."""
    kernel, structures = kernel_of(["0-1-12-1"], cell_counts(cases[:480], Family()))
    em = EM(kernel.prior_slots(Prior()))
    starts = random_starts(kernel, structures, [0] * 3, np.random.default_rng(0))
    (plain,), (polished,) = (
        search(kernel, em, lambda s, r: starts[r], Restarts(3, 3), tolerance, enough=GAIN_TOLERANCE)
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
    values = np.array([-5.0, 0.0, -0.0005, -20.0, -3.0])
    assert distinct(values) == [1, 4, 0, 3]
    assert distinct(values, width=4.0) == [1, 4]
    assert distinct(-np.arange(2.0 * OPTIMA)) == list(range(OPTIMA))
