"""Parts of tempered SMC that have an exact answer: the start's density, relabellings, gradient,
trajectories.
"""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import dirichlet

from latentdag import Family, Structure, enumerate_structures
from latentdag.data.counts import cell_counts
from latentdag.engine.simd import LANES
from latentdag.engine.streams import generator
from latentdag.inference.slots import Kernel
from latentdag.inference.tempered import estimates as tempered_estimates
from latentdag.inference.tempered import loops
from latentdag.inference.tempered.estimates import Start, TemperedModel, aligned
from latentdag.model.parameters import Prior, cell_probabilities
from latentdag.scores.exact import log_evidence
from latentdag.scores.tempered_smc import some

PRIOR = Prior(0.7, 1.6)
THREE, UNEQUAL = Family((2, 2, 2), (2, 3, 2)), Family((2, 3), (3, 2))
STRUCTURES = [
    ("1-12-12-2", Family()),
    ("12-12-12-12", Family()),
    ("12-13-23", THREE),
    ("123-123-1", THREE),
    ("12-2", UNEQUAL),
]


def model_of(label, family, n=60):
    s = Structure.from_label(label, family)
    cases = np.random.default_rng(3).integers(family.observed, size=(n, len(family.observed)))
    return TemperedModel(Kernel([s], cell_counts(cases, family)), 0, s, PRIOR)


@pytest.fixture(params=STRUCTURES, ids=str)
def start(request):
    model = model_of(*request.param)
    counts = np.random.default_rng(4).gamma(0.5, 8, size=(5, len(model.alpha)))
    return Start(model, counts, 0.3)


def by_row(model, values):
    return np.split(values, model.rows[1:-1])


def parameters(model, log_theta):
    """Those of one particle, (D,), as the plain functions take them."""
    slots = model.kernel.expand(model.item, np.exp(log_theta))
    return model.kernel.unpack(model.item, slots)


def test_the_start_is_a_mixture_of_dirichlets_as_a_ratio_to_the_prior(start):
    model = start.model
    log_theta = start.draw(1, np.random.default_rng(0))
    fit, log_r = start.log_densities(log_theta)
    counts = np.zeros(model.kernel.family.observed)
    counts[tuple(model.kernel.patterns.T)] = model.kernel.counts
    for lane in range(LANES):
        theta = [np.exp(row) for row in by_row(model, log_theta[0, :, lane])]
        parts = [
            sum(
                dirichlet.logpdf(t / t.sum(), a + 0.3 * c) - dirichlet.logpdf(t / t.sum(), a)
                for t, a, c in zip(
                    theta, by_row(model, model.alpha), by_row(model, component), strict=True
                )
            )
            for component in start.counts
        ]
        assert log_r[0, lane] == pytest.approx(logsumexp(parts) - np.log(5), abs=1e-8)
        p = cell_probabilities(model.structure, parameters(model, log_theta[0, :, lane]))
        assert fit[0, lane] == pytest.approx(np.sum(counts * np.log(p)), abs=1e-8)


@pytest.mark.parametrize(
    ("label", "family", "n"), [(*s, n) for s, n in zip(STRUCTURES, (4, 8, 8, 16, 12), strict=True)]
)
def test_relabellings_leave_the_model_as_it_is(label, family, n):
    model = model_of(label, family)
    relabellings = list(model.relabellings())
    assert len(relabellings) == len({tuple(r) for r in relabellings}) == n == model.n_relabellings()
    log_theta = Start(model, np.ones((1, len(model.alpha))), 0.0).draw(1, np.random.default_rng(2))
    p = cell_probabilities(model.structure, parameters(model, log_theta[0, :, 0]))
    for indices in relabellings:
        assert model.alpha[indices] == pytest.approx(model.alpha)
        again = parameters(model, log_theta[0, indices, 0])
        assert cell_probabilities(model.structure, again) == pytest.approx(p, abs=1e-13)


def test_counts_are_aligned_with_the_first(start):
    """Relabelled at random, sets of counts come back as they were."""
    model, rng = start.model, np.random.default_rng(5)
    every = list(model.relabellings())
    first = start.counts[0]
    near = first * rng.uniform(0.9, 1.1, size=(6, len(first)))
    mixed = np.array([first, *(c[every[rng.integers(len(every))]] for c in near)])
    assert aligned(model, mixed)[1:] == pytest.approx(near)


SPREAD = ["0-0-0-1", "1-0-2-2", "12-0-0-1", "0-0-12-12", "1-12-12-0", "12-12-12-12"]
DENSE = ["1-12-12-12", "12-1-12-12", "12-12-1-12", "12-12-12-1", "12-12-12-12"]


@pytest.mark.parametrize(
    ("family", "true", "n", "expected"),
    [
        (Family(), "1-12-12-2", 80, {*SPREAD, "1-12-12-2"}),
        (Family(), None, 5119, set(SPREAD)),
        (Family(), "1-12-12-2", 5120, {*SPREAD, *DENSE, "1-12-12-2"}),
        (Family(), None, 10240, {*SPREAD, *DENSE}),
        (Family((2,), (2, 2)), None, 5120, {"0-1", "1-0", "1-1"}),
        (Family((), (2,)), None, 5120, set()),
    ],
    ids=str,
)
def test_which_structures_a_study_takes(family, true, n, expected):
    """The first and every 27th of the 135 with links, as `enumerate_structures` has them; of many
    cases those with seven links or eight. Of few structures all with links.
    """
    everyone = enumerate_structures(family)
    taken = some(everyone, true and Structure.from_label(true), n)
    assert [s.label for s in taken] == [s.label for s in everyone if s.label in expected]


def at(start, tau, seed=7):
    """A density, positions and momenta of one block."""
    rng = np.random.default_rng(seed)
    mass = start.mass(tau)
    x = start.draw(1, rng)[0] + rng.normal(size=(1, LANES))
    tempering = loops.Tempering(tau, mass, start.model.row_sums(mass))
    return tempering, x, rng.normal(size=x.shape) * np.sqrt(mass)[:, None]


@pytest.mark.parametrize("tau", [0.0, 0.35, 1.0])
def test_the_density_and_its_gradient(start, tau):
    model = start.model
    tempering, x, _ = at(start, tau)

    def density(x):
        """That of theta in logits, and of the sums of g."""
        g = model.row_sums(np.exp(x).T)
        log_theta = x - np.log(g)[:, model.row_of].T
        fit, log_r = start.log_densities(log_theta[None])[:, 0]
        of_sums = (model.row_sums(tempering.mass) * np.log(g) - g).sum(axis=1)
        return model.alpha @ log_theta + of_sums + tau * fit + (1 - tau) * log_r

    values, zero = np.empty((3, 1, LANES)), np.zeros((1, LANES))
    step, small = 1e-3, 1e-5
    moved, momenta = x[None].copy(), np.zeros((1, *x.shape))
    loops.trajectories(start.target, tempering, moved, momenta, zero + step, 1, values)
    # from rest a leapfrog step moves x by step^2 / 2 times the gradient over the mass
    g = model.row_sums(np.exp(x).T)
    log_theta = x - np.log(g)[:, model.row_of].T
    shifts = small * np.eye(len(x))[:, :, None]
    slopes = np.array([density(x + d) - density(x - d) for d in shifts]) / (2 * small)
    expected = x + step**2 / 2 * slopes / tempering.mass[:, None]
    expected -= np.log(model.row_sums(np.exp(expected).T))[:, model.row_of].T
    scale = step**2 / 2 * np.abs(slopes / tempering.mass[:, None]).max()
    assert np.abs(moved[0] - expected).max() < 1e-3 * scale
    assert np.abs(expected - log_theta).max() > 0.1 * scale  # they did move
    # the ratio of densities: that of x, and of the momentum that was gained
    ends = x + step**2 / 2 * slopes / tempering.mass[:, None]
    gained = step / 2 * slopes + step / 2 * slopes
    kinetic = (gained**2 / tempering.mass[:, None]).sum(axis=0) / 2
    assert values[0, 0] == pytest.approx(density(ends) - density(x) - kinetic, abs=1e-4)


def test_a_tuning_leaves_most_particles_and_its_steps_are_accepted():
    """A run of other particles by its tuning, from the prior to 600 cases."""
    model = model_of("1-12-12-2", Family(), n=600)
    start = Start(model, model.independent_counts[None], 0.0)
    tuning, _ = tempered_estimates.tune(start, 4, generator(0, "pilot"))
    temperatures = [temperature for temperature, _ in tuning]
    assert temperatures[-1] == 1.0 and np.diff(temperatures, prepend=0.0).min() > 0
    particles = tempered_estimates.TemperedParticles(start, 16, generator(0, "run"))
    left, accepted = [], []
    for temperature, step in tuning:
        before = particles.weights
        particles.weigh(temperature)
        after = particles.weights
        change = after / before
        left.append((before @ change) ** 2 / (before.sum() * (before @ change**2)))
        particles.resample()
        accepted.append(particles.move(step))
    assert 0.8 < min(left) <= max(left[:-1]) < 0.97
    assert np.mean(accepted[len(tuning) // 2 :]) == pytest.approx(0.8, abs=0.07)


def test_a_mode_that_the_start_does_not_know_is_not_passed_over():
    """From a start around one of three modes; the runs from the prior find the others, so that the
    estimate is right all the same.
    """
    family = Family((2,), (3, 3, 3))
    cases = np.repeat(np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2]]), 6, axis=0)
    s = Structure.from_label("1-1-1", family)
    model = TemperedModel(Kernel([s], cell_counts(cases, family)), 0, s, Prior(0.3))
    prior = Start(model, model.independent_counts[None], 0.0)
    tuning, _ = tempered_estimates.tune(prior, 16, generator(0, "pilot"))
    # the mode in which the cases with values 0 and 1 share a state, and those with 2 have their own
    counts = np.array([6.0, 6, 0, 0, 0, 6] * 3 + [12, 6])
    start = Start(model, counts[None], 1.0)
    from_start, pilot = tempered_estimates.tune(start, 4, generator(0, "pilot from the start"))
    covered = float(tempered_estimates.excess(start, pilot)[0].max())
    plan = tempered_estimates.RunPlan(start, from_start, covered)
    estimates, blind = [], []
    for r in range(48):
        from_prior = tempered_estimates.run(prior, tuning, 8, generator(0, "prior", r))
        estimates.append(tempered_estimates.log_estimate(plan, 4, generator(0, r), from_prior))
        from_prior.log_weight = np.full_like(from_prior.log_weight, -np.inf)
        blind.append(tempered_estimates.log_estimate(plan, 4, generator(0, r), from_prior))
    exact = log_evidence(cases, [s], Prior(0.3))[0]
    ratio = np.exp(np.array(estimates) - exact)
    assert abs(ratio.mean() - 1) < 4 * ratio.std() / np.sqrt(len(ratio))
    assert np.exp(np.array(blind) - exact).mean() < 0.6


def test_each_estimate_takes_the_search_of_another_run(monkeypatch):
    """The search of its own run has shaped its plan, which would bias it. Each serves once for
    either.
    """
    of_plans, of_estimates = [], []
    plan_run = tempered_estimates.plan_run

    def kept_plan(search, *rest):
        of_plans.append(search)
        return plan_run(search, *rest)

    def no_estimate(plan, n_blocks, rng, from_prior):
        of_estimates.append((plan, from_prior))
        return 0.0

    monkeypatch.setattr(tempered_estimates, "plan_run", kept_plan)
    monkeypatch.setattr(tempered_estimates, "log_estimate", no_estimate)
    model = model_of("12-2", UNEQUAL, n=6)
    tempered_estimates.log_estimates(model, 32, 3, lambda *which: generator(0, *which))
    assert len(of_plans) == len({id(plan) for plan, _ in of_estimates}) == 3
    searches = [search for _, search in of_estimates]
    assert {id(search) for search in searches} == {id(search) for search in of_plans}
    assert all(a is not b for a, b in zip(of_plans, searches, strict=True))
