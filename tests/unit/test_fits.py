"""The accelerated optimiser: monotone, sound about convergence, and independent of what is
optimised together.
"""

import numpy as np
import oracles
import pytest
from scipy.special import digamma

from latentdag import Family, Parameters, Structure, enumerate_structures
from latentdag.counts import cell_counts
from latentdag.fits.em import EM
from latentdag.fits.fixed_point import (
    GAIN_TOLERANCE,
    SECANTS,
    Fits,
    _Secants,
    maximise,
    run_together,
)
from latentdag.fits.restarts import ROUND, Restarts, search
from latentdag.fits.vbem import VBEM
from latentdag.kernel import Kernel, by_hidden_family
from latentdag.model import Prior

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


def test_extrapolated_weights_are_normalised_and_kept_from_0_without_a_prior(cases):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    batch, alpha = kernel.batch([0]), kernel.prior_slots(Prior())
    weights = np.zeros((1, kernel.n_states, kernel.n_columns))
    weights[..., 0], weights[..., 1] = -1000, 2
    with_prior, without = (em.feasible(batch, weights) for em in (EM(alpha), EM(None)))
    for x in (with_prior, without):
        assert np.allclose(batch.row_sums(np.exp(x)), 1)
        assert np.allclose(x[..., 1] - x[..., 2], 2)
    assert np.allclose(with_prior[..., 0] - with_prior[..., 2], -1000)
    assert np.allclose(without[..., 0] - without[..., 2], -70)
    assert VBEM(alpha).feasible(batch, weights) is weights


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
    """At every accepted step of every one of many random starts; what is traced is the
    independently computed objective.
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
    seen = [[] for _ in items]
    alpha = kernel.prior_slots(prior)
    # EM's objective adds alpha ln theta, and ln theta is rounded
    rounding = 1e-15 * alpha.max() * alpha.size if name == "map" else 0

    def trace(chunk, values):
        for i, value in zip(chunk, values, strict=True):
            seen[i].append(value)

    fits = maximise(kernel, MAPS[name](alpha), items, starts, 600, trace=trace)
    for history, iterations, final in zip(seen, fits.iterations, fits.objective, strict=True):
        assert len(history) == iterations
        assert history[-1] == final
        assert np.diff(history).min() >= -1e-12 * abs(final) - rounding
        assert history[-1] > history[0] + 1e-3  # and it did climb


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


class Downhill:
    """A broken algorithm: its objective falls a little at each step."""

    def __init__(self, drop, objective=-100.0, mass=1.0):
        self.drop, self.objective, self.mass, self.calls = drop, objective, mass, 0

    def step(self, batch, log_weights):
        self.calls += 1
        return (
            np.full(len(log_weights), self.objective - self.drop * self.calls),
            log_weights + 0.01,
            np.full_like(log_weights, self.mass),
        )

    def feasible(self, batch, log_weights):
        return log_weights


def test_a_decrease_is_an_error_not_convergence(cases):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    for drop in (1.0, 1e-6, 1e-8):
        with pytest.raises(FloatingPointError, match="decreased"):
            maximise(kernel, Downhill(drop), [0], start, 100)
    for drop in (1e-12, 5e-10):  # rounding is no decrease
        maximise(kernel, Downhill(drop), [0], start, 100)


@pytest.mark.parametrize(
    ("size", "rounding"), [({"objective": -1e6}, 1e-5), ({"mass": 1e12}, 0.06)], ids=str
)
def test_what_counts_as_rounding_grows_with_the_terms_that_are_added(cases, size, rounding):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    assert kernel.n_coordinates[0] == 64
    maximise(kernel, Downhill(0.5 * rounding, **size), [0], start, 100)
    with pytest.raises(FloatingPointError, match="decreased"):
        maximise(kernel, Downhill(2 * rounding, **size), [0], start, 100)


@pytest.mark.parametrize("objectives", [[0, -1], [0, 0, 0, -1], [0, 0, 2, 1]], ids=str)
def test_a_decrease_is_seen_at_each_of_the_plain_steps_of_a_cycle(cases, objectives):
    """Only the third step, from an extrapolation, may lead down: then it is not kept."""
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))

    class Scripted(Downhill):
        def step(self, batch, log_weights):
            _, after, mass = super().step(batch, log_weights)
            last = objectives[-1]
            value = objectives[self.calls - 1] if self.calls <= len(objectives) else last
            return np.full(len(log_weights), float(value)), after, mass

    with pytest.raises(FloatingPointError, match="decreased by 1 nats"):
        maximise(kernel, Scripted(0), [0], start, 9)
    objectives = [0, 0, -1, 0]
    maximise(kernel, Scripted(0), [0], start, 9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_impossible_cell_is_an_error_not_a_number(cases):
    """In one of two fits."""
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    starts = np.full((2, kernel.n_states, kernel.n_columns), -1.0)
    starts[1] = -800
    with pytest.raises(FloatingPointError, match="probability 0"):
        maximise(kernel, EM(None), [0, 0], starts, 100)


class Modes:
    """A linear map about 0 whose coordinate i shrinks by the factor ``rates[i]``, and the objective
    that belongs to it.
    """

    def __init__(self, kernel, rates):
        self.rates = np.zeros(kernel.n_states * kernel.n_columns)
        self.rates[: len(rates)] = rates

    def step(self, batch, log_weights):
        mass = np.full_like(log_weights, 3.0)
        x = log_weights.reshape(len(log_weights), -1)
        rates = self.rates.reshape(log_weights.shape[1:])
        return (
            -batch.total(0.5 * mass * (1 - rates) * log_weights**2),
            (x * self.rates).reshape(log_weights.shape),
            mass,
        )

    def feasible(self, batch, log_weights):
        return log_weights


def test_a_change_that_weighs_nothing_is_left_out_of_the_extrapolation(cases):
    """Its square underflows, and the inverse of that overflowed once: warnings are errors here."""
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))

    class Weightless(Modes):
        def step(self, batch, log_weights):
            objective, after, mass = super().step(batch, log_weights)
            return objective, after, mass * 1e-300

    start = np.full((1, kernel.n_states, kernel.n_columns), 1e-9)
    fits = maximise(kernel, Weightless(kernel, [0.99, 0.5]), np.array([0]), start, 60)
    assert fits.converged[0]
    assert np.isfinite(fits.log_weights).all()


def test_the_quasi_newton_step_is_a_weighted_least_squares_fit(cases):
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))
    rng = np.random.default_rng(8)
    shape = (2, kernel.n_states, kernel.n_columns)
    fits = Fits.begin(0, np.zeros(shape))
    secants = _Secants(fits, slice(0, 2))
    moves, changes = rng.normal(size=(2, SECANTS, *shape))
    for move, change in zip(moves, changes, strict=True):
        secants.add(move, change)
    metric, step = rng.exponential(size=(2, shape[1] * shape[2])), rng.normal(size=shape)
    result = secants.quasi_newton(metric, step)
    for c in range(2):
        weights = np.sqrt(metric[c])[:, None]
        known = changes[:, c].reshape(SECANTS, -1).T
        shares = np.linalg.lstsq(weights * known, weights[:, 0] * step[c].ravel())[0]
        expected = step[c] - np.tensordot(shares, (moves + changes)[:, c], axes=1)
        assert np.allclose(result[c], expected, atol=1e-8)


def test_a_linear_map_is_solved_in_as_many_cycles_as_it_has_modes(cases):
    kernel, _ = kernel_of(
        ["12-12-12-12"], cell_counts(cases[:20], Family())
    )  # no ties: every slot is a coordinate
    start = np.random.default_rng(0).normal(size=(1, kernel.n_states, kernel.n_columns))
    algorithm = Modes(kernel, [0.9999, 0.999, 0.99, 0.95, 0.5])
    # five modes, five cycles of three steps; a plain step leaves 0.9999 of the slowest mode's
    # distance, and four cycles leave 2e-6 nats
    assert maximise(kernel, algorithm, np.array([0]), start, 12).objective[0] < -1e-7
    assert -1e-18 < maximise(kernel, algorithm, np.array([0]), start, 15).objective[0] <= 0
    assert maximise(kernel, algorithm, np.array([0]), start, 300).converged[0]


@pytest.mark.parametrize(
    ("begin", "steps", "reached"),
    [([0.5, 0.01, 0.01, 0.01], 24, 10), ([0.01, 0.5, 0.5, 0.5], 60, 0.1)],
)
def test_a_saddle_is_left_fast(cases, begin, steps, reached):
    """A mode that grows by 1 part in 1000 at every step: plain steps would need 3000 or 2300 of
    them.
    """
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    start.flat[:4] = begin
    fits = maximise(kernel, Modes(kernel, [1.001, 0.99, 0.9, 0.5]), np.array([0]), start, steps)
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


@each_map
def test_a_structure_alone_and_in_a_group_are_the_same_to_the_bit(cases, name):
    (_, _), (_, _), (_, structures) = by_hidden_family(enumerate_structures())
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


@each_map
def test_a_permuted_start_reaches_the_same_optimum(cases, name):
    """Hidden states may be named anyhow: the fit from relabelled states is the relabelled fit."""
    family = Family((2, 3), (5, 5, 5, 5))
    kernel, structures = kernel_of(["1-12-12-2"], cell_counts(cases[:120], family), family)
    start = random_starts(kernel, structures, [0], np.random.default_rng(1))
    renamed = np.empty_like(start)
    columns = np.arange(kernel.n_columns)
    columns[20:] = [21, 20, 24, 22, 23]  # values of s1 exchanged, of s2 rotated
    new = {(a, b): (1 - a, (b + 2) % 3) for a in range(2) for b in range(3)}
    order = [new[a, b][0] * 3 + new[a, b][1] for a in range(2) for b in range(3)]
    renamed[0] = start[0][order][:, columns]
    algorithm = MAPS[name](kernel.prior_slots(Prior(0.8, 1.1)))
    values, expected_value = (algorithm.step(kernel.batch([0]), x)[0][0] for x in (renamed, start))
    assert values == pytest.approx(expected_value, rel=1e-13)
    one, other = (maximise(kernel, algorithm, np.array([0]), x, 30_000) for x in (start, renamed))
    assert other.objective[0] == pytest.approx(one.objective[0], abs=1e-6)
    if name != "ml":  # there a flat ridge leaves the weights free
        assert np.allclose(
            np.exp(other.log_weights[0]), np.exp(one.log_weights[0][order][:, columns]), atol=1e-3
        )


class Restless:
    """Stands still in some cycles, and walks on in the others."""

    def __init__(self, moves):
        self.moves, self.calls = moves, 0

    def step(self, batch, log_weights):
        move = self.moves[self.calls // 3]
        self.calls += 1
        return np.zeros(len(log_weights)), log_weights + 0.01 * move, np.ones_like(log_weights)

    def feasible(self, batch, log_weights):
        return log_weights


def test_converged_only_after_three_quiet_cycles_in_a_row(cases):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    moves = [0, 0, 1, 0, 1, 0, 0, 0, 1]
    fits = maximise(kernel, Restless(moves), np.array([0]), start, 1000)
    assert fits.converged[0]
    assert fits.iterations[0] == 3 * 8


class Paced:
    """Steps of given lengths for every cycle, two plain ones and a third, all in one direction."""

    def __init__(self, cycles):
        self.cycles, self.calls = cycles, 0

    def step(self, batch, log_weights):
        direction, *lengths = self.cycles[self.calls // 3]
        after = log_weights.copy()
        after[:, 0, direction] += lengths[self.calls % 3]
        self.calls += 1
        return np.zeros(len(log_weights)), after, np.ones_like(log_weights)

    def feasible(self, batch, log_weights):
        return log_weights


def test_a_slow_direction_is_remembered_for_a_cycle(cases):
    """What is left to gain is estimated from the slowest rate of two cycles: a step that shrinks by
    a tenth hides one that shrank by a thousandth just before.
    """
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    slow, fast = (0, 1e-3, 0.999e-3, 0), (1, 1e-4, 1e-5, 0)
    fits = maximise(kernel, Paced([slow] + [fast] * 9), np.array([0]), start, 1000)
    assert fits.converged[0]
    assert fits.iterations[0] == 3 * (1 + 1 + 3)


def test_converged_to_the_tolerance_asked_for(cases):
    """In every one of these cycles some 1e-11 nats are left to gain."""
    kernel, _ = kernel_of(["12-12-12-12"], cell_counts(cases[:20], Family()))
    start = np.zeros((1, kernel.n_states, kernel.n_columns))
    cycles = [(1, 1e-4, 1e-5 / 2, 0)] * 9
    for tolerance, converged in ((1e-6, True), (1e-8, True), (1e-10, False)):
        fits = maximise(kernel, Paced(cycles), np.array([0]), start, 24, tolerance)
        assert fits.converged[0] == converged
        assert fits.iterations[0] == (12 if converged else 24)


class Peaks:
    """Stays where it is; the objective is the first weight."""

    def step(self, batch, log_weights):
        return log_weights[:, 0, 0].copy(), log_weights.copy(), np.ones_like(log_weights)

    def feasible(self, batch, log_weights):
        return log_weights


def run_peaks(cases, heights, settings, first=None):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    asked = []

    def point(height):
        return np.full((kernel.n_states, kernel.n_columns), float(height))

    def start(s, r):
        asked.append(r)
        return point(heights[r])

    (best,) = search(
        kernel, Peaks(), start, settings, first=None if first is None else [[point(first)]]
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
        Peaks(),
        lambda s, r: np.zeros((kernel.n_states, kernel.n_columns)),
        Restarts(20, hits),
        report=reports.append,
    )
    assert [b.restarts for b in best] == [started, started]
    assert len(reports) > 2
    assert sum(reports) == pytest.approx(2)


def test_a_search_gets_its_fits_back_in_the_order_of_their_starts(cases):
    kernel, _ = kernel_of(["1-12-12-2"], cell_counts(cases[:20], Family()))
    heights = [3.0, 1.0, 2.0]
    starts = [np.full((kernel.n_states, kernel.n_columns), height) for height in heights]

    def one():
        return (yield Fits.begin(0, starts), 1e-6)

    (fits,) = run_together(kernel, Peaks(), [one()], 100)
    assert fits.objective.tolist() == heights


@pytest.mark.parametrize("at_once", [1, 2, 16])
def test_every_structure_has_its_own_starts_however_many_are_held_at_once(cases, at_once):
    labels = ["1-12-12-2", "1-1-2-2", "12-12-12-12", "1-2-12-12", "1-1-12-2"]
    kernel, _ = kernel_of(labels, cell_counts(cases[:20], Family()))

    def point(height):
        return np.full((kernel.n_states, kernel.n_columns), float(height))

    first = [point(10 * s + (5 if s % 2 else -5)) for s in range(5)]
    best = search(
        kernel,
        Peaks(),
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
        search(kernel, em, lambda s, r: starts[r], Restarts(3, 3), tolerance)
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
