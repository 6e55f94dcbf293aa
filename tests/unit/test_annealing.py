"""Parts of annealed importance sampling and of tempered SMC that have an exact answer: chains of
several data sets side by side; the start's density, relabellings, gradient, trajectories.
"""

from unittest import mock

import numpy as np
import oracles
import pytest
from scipy.special import logsumexp
from scipy.stats import dirichlet

from latentdag import Family, Structure, enumerate_structures
from latentdag.data.counts import MISSING, Counts, cell_counts
from latentdag.engine.cells import log_likelihoods
from latentdag.engine.simd import LANES
from latentdag.engine.streams import generator
from latentdag.inference.ais import annealing as ais
from latentdag.inference.ais.annealing import Tuning, anneal, tune
from latentdag.inference.slots import LONGEST_PRODUCT, Kernel
from latentdag.inference.tempered import estimates as tempered_estimates
from latentdag.inference.tempered import loops
from latentdag.inference.tempered.estimates import Start, TemperedModel, aligned
from latentdag.model.parameters import Prior, cell_probabilities
from latentdag.scores import JOBS, compute, run_job
from latentdag.scores.ais import annealing_runs, lots_by_shape
from latentdag.scores.base import Task
from latentdag.scores.exact import log_evidence
from latentdag.scores.tempered_smc import some

PRIOR = Prior(0.7, 1.6)


@pytest.mark.parametrize(("label", "hidden"), [("1-12-12-2", (2, 2)), ("2-2-2-0", (3, 2))])
def test_one_step_is_plain_importance_sampling_from_the_start(cases, label, hidden):
    """With a single temperature the weight is p(y given the starting point): shows that starts are
    laid out as they should, those of childless hidden variables left out.
    """
    s = Structure.from_label(label, Family(hidden))
    parameters = oracles.random_parameters(s, np.random.default_rng(2))
    task = Task([s], cases[:30], PRIOR)
    weights = annealing_runs(task, steps=1, chains=3, start=parameters)
    expected = oracles.log_likelihood(s, parameters, cases[:30])
    assert weights == pytest.approx([expected] * 3, rel=1e-12)
    assert len(set(annealing_runs(task, steps=1, chains=3))) == 3


def test_in_how_many_parts_a_chain_is_run_changes_no_bit(cases, monkeypatch):
    """Between parts its progress is reported."""
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:20], s.family))
    ends = np.array([0.0, 0.5, 1.0])
    tuning = Tuning(ends, ends, np.array([[-1.0], [-2.0]]))

    def run():
        chains = [generator(0, "parts", c) for c in range(2)]
        return anneal(kernel, 0, Prior(), tuning, 2500, chains).log_weights

    in_parts = run()
    monkeypatch.setattr(ais, "AT_ONCE", 2**20)
    assert (run() == in_parts).all()


@pytest.mark.parametrize("prior", [Prior(0.09, 1.0), Prior(1.0, 0.09)], ids=str)
def test_where_its_chains_hardly_mix_ais_is_refused(cases, prior):
    s = Structure.from_label("1-1-1-1")
    with pytest.raises(ValueError, match="^ais needs alpha and alpha_hidden of at least 0.1, got"):
        compute(Task([s], cases[:5], prior), ["ais"])
    # no hidden variable, nothing that alpha_hidden could be too small for
    empty = Task([Structure.from_label("0-0-0-0")], cases[:5], Prior(1.0, 0.09))
    assert np.isfinite(compute(empty, ["ais"], {"steps": 2, "chains": 1})[0][0].score)


def test_pilots_and_chains_have_streams_of_their_own_and_chains_do_not_touch_each_other(cases):
    s = Structure.from_label("1-12-12-2")
    kernel = Kernel([s], cell_counts(cases[:20], s.family))
    tuning = tune(kernel, 0, Prior(), [generator(0, "pilot", c) for c in range(4)])
    assert isinstance(tuning, Tuning)

    def run(chains):
        streams = [generator(0, "c", c) for c in chains]
        return anneal(kernel, 0, Prior(), tuning, 70, streams)

    everyone = run(range(40))  # two and a half times LANES
    for chains in ([5], range(7), range(16), [39, 3]):
        alone = run(chains)
        for name in ("log_weights", "acceptance"):
            assert (getattr(alone, name) == getattr(everyone, name)[list(chains)]).all(), name
    assert len(set(everyone.log_weights)) == 40
    assert ((everyone.acceptance >= 0) & (everyone.acceptance <= 1)).all()
    assert 0.1 < everyone.acceptance.mean() < 0.5  # tuned
    of_steps, part = tuning.schedule(np.arange(1, 71), 70), np.arange(70) * 16 // 70
    means = [of_steps[part == k].mean() for k in range(16)]
    assert everyone.temperatures == pytest.approx(means)


@pytest.mark.parametrize(
    ("family", "label"),
    [
        (Family(), "1-12-12-2"),  # 625 cells: more than LONGEST_PRODUCT
        (Family((2, 3), (3, 2)), "12-2"),
        (Family((2, 2, 2), (2, 2, 2)), "12-13-23"),
        (Family((), (3, 2)), "0-0"),
        (Family((2,), (4,)), "1"),
    ],
    ids=str,
)
def test_each_lane_has_the_likelihood_of_its_own_data(family, label):
    """Counts of one to thirteen binary digits, and cells that occur in a few lanes only."""
    s, rng = Structure.from_label(label, family), np.random.default_rng(1)
    n_observed = len(family.observed)
    kernels = [
        Kernel([s], cell_counts(rng.integers(family.observed, size=(n, n_observed)), family))
        for n in (1, 2, 3, 4, 5, 7, 9, 12, 20, 33, 80, 300, 480, 2560, 5119, 10240)
    ]
    settings = [kernels[0].pack(0, oracles.random_parameters(s, rng)) for _ in range(LANES)]
    weights = np.stack([kernels[0].untie(0, slots) for slots in settings], axis=1)
    cells = kernels[0].cells_of_lanes(0, kernels)
    found = log_likelihoods(weights[None], cells)[0]
    for lane, kernel in enumerate(kernels):
        alone = np.repeat(weights[:, lane, None], LANES, axis=1)
        expected = log_likelihoods(alone[None], kernel.cells_of(0))[0, 0]
        assert found[lane] == pytest.approx(expected, rel=1e-13)
    if family == Family():
        assert len(cells.counts) > LONGEST_PRODUCT


def test_kinds_of_ais(cases):
    """`ais_single` is the first chain of `ais`; the others have streams and pilots of their own,
    and rows move by themselves.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-1-0-1")]
    task, settings = Task(structures, cases[:40], PRIOR, 7, (3,)), {"steps": 64, "chains": LANES}
    scores, found = run_job(JOBS["ais"], task, settings, methods=["ais_single"])
    table = JOBS["ais"].tables["ais_chains"](task, found)
    first = {row["structure"]: row["log_weight"] for row in table if row["chain"] == 0}
    assert {s.structure.label: s.score for s in scores} == pytest.approx(first, rel=1e-14)
    assert all(np.isnan(s.standard_error) and s.restarts == 1 for s in scores)

    task, settings = (
        Task(structures, cases[:40], PRIOR, 7, (3,), (20, 40)),
        settings | {"chains": 2},
    )
    asked, really = [], Task.stream

    def stream(task, purpose, *which):
        asked.append((purpose, task.n, *which))
        return really(task, purpose, *which)

    with mock.patch.object(Task, "stream", stream):
        for job in ("ais", "ais_long", "ais_rows"):
            run_job(JOBS[job], task, settings)
    assert len(set(asked)) == len(asked) == 3 * 2 * 2 * (ais.PILOT_CHAINS + 2)

    kernel = Kernel(structures[:1], cell_counts(cases[:40], structures[0].family))
    for by_row, lengths in ((False, [64]), (True, [5] * 12 + [2] * 2)):
        goal = ais.target([kernel], 0, PRIOR, by_row)
        assert np.diff(goal.moves).tolist() == lengths
        pilots = [generator(0, "pilot", c) for c in range(4)]
        assert tune(kernel, 0, PRIOR, pilots, by_row).log_steps.shape == (32, len(lengths))


@pytest.mark.parametrize("family", [Family((2, 2), (2, 2, 2)), Family((2, 3), (3, 2, 3))], ids=str)
def test_structures_of_one_shape_keep_their_evidence(family):
    """With sorted variables each has the data's columns in its own order: no evidence changes."""
    rng, structures = np.random.default_rng(4), enumerate_structures(family)
    holes = rng.integers(family.observed, size=(7, 3))
    holes[0, 1] = holes[3, 2] = MISSING
    sizes = [Task(structures, holes[:n], PRIOR) for n in (2, 7)]
    lots, seen = list(lots_by_shape(sizes, 3)), set()
    for item, lot in lots:
        assert len(lot) <= LANES // 3
        assert len({kernel.structures for _, _, kernel in lot}) == 1
        for own, s, kernel in lot:
            cases = np.repeat(kernel.patterns, kernel.counts.astype(int), axis=0)
            (expected,) = log_evidence(own.cases, [s], PRIOR)
            (found,) = log_evidence(cases, [kernel.structures[item]], PRIOR)
            assert found == pytest.approx(expected, rel=1e-12)
            seen.add((own.n, s))
    assert len(seen) == sum(len(lot) for _, lot in lots) == 2 * len(structures)
    assert len(lots) < len(structures)


NAMES = ("log_weights", "acceptance", "temperatures")
SIZES = (3, 10, 20, 40, 80, 110, 160, 230, 320, 400, 430, 480, 560, 640, 800, 960, 1120, 1280)


@pytest.mark.parametrize(
    ("job", "chains"), [("ais", 1), ("ais", 3), ("ais", LANES), ("ais_long", 1), ("ais_rows", 2)]
)
def test_sizes_together_or_apart_to_the_bit(cases, job, chains):
    """More chains than lanes, some of them copies; structures with one and two hidden causes. With
    as many chains as lanes it is `anneal` for each size.
    """
    structures = [Structure.from_label(label) for label in ("1-12-12-2", "1-2-12-12", "1-1-0-1")]
    job, settings = JOBS[job], {"steps": 40, "chains": chains}
    everything = Task(structures, cases, PRIOR, seed=7, key=(3,), sizes=SIZES)
    scores, found = run_job(job, everything, settings)
    rows = {name: list(of(everything, found)) for name, of in job.tables.items()}
    scores = [s for s in scores if s.method == job.name]
    assert [(s.n, s.structure) for s in scores] == [(n, s) for n in SIZES for s in structures]
    for sizes in ((3,), (80, 640), (1280,)):
        for few in (structures, structures[1:2]):
            shorter = cases[: max(sizes)]
            own = Task(few, shorter, PRIOR, seed=7, key=(3,), sizes=sizes)
            if len(sizes) == 1:  # as a library's user has it
                own = Task(few, shorter, PRIOR, seed=7, key=(3,))
            again, by_label = run_job(job, own, settings, methods=[job.name])
            labels = [s.label for s in few]
            here = [s for s in scores if s.n in sizes and s.structure in few]
            assert [repr(s) for s in again] == [repr(s) for s in here]
            for label in labels:
                for n in sizes:
                    for name in NAMES:
                        one, other = (getattr(f[label][n], name) for f in (found, by_label))
                        assert np.array_equal(one, other), name
            for name, of in job.tables.items():
                part = [r for r in rows[name] if r["n"] in sizes and r["structure"] in labels]
                assert list(of(own, by_label)) == part
                assert len(part) == len(labels) * len(sizes) * (chains if "chains" in name else 16)


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
    counts = Counts(model.kernel.patterns, model.kernel.counts).table(model.kernel.family)
    for lane in range(LANES):
        theta = [np.exp(row) for row in by_row(model, log_theta[0, :, lane])]
        parts = [
            sum(
                dirichlet.logpdf(t / t.sum(), a + 0.3 * c) - dirichlet.logpdf(t / t.sum(), a)
                for t, a, c in zip(
                    theta, by_row(model, model.alpha), by_row(model, own), strict=True
                )
            )
            for own in start.counts
        ]
        assert log_r[0, lane] == pytest.approx(logsumexp(parts) - np.log(5), abs=1e-8)
        p = cell_probabilities(model.structure, parameters(model, log_theta[0, :, lane]))
        assert fit[0, lane] == pytest.approx(np.sum(counts * np.log(p)), abs=1e-8)


@pytest.mark.parametrize(
    ("label", "family", "n"), [(*s, n) for s, n in zip(STRUCTURES, (4, 8, 8, 16, 12), strict=True)]
)
def test_relabellings_leave_the_model_as_it_is(label, family, n):
    model = model_of(label, family)
    found = list(model.relabellings())
    assert len(found) == len({tuple(r) for r in found}) == n == model.n_relabellings()
    log_theta = Start(model, np.ones((1, len(model.alpha))), 0.0).draw(1, np.random.default_rng(2))
    p = cell_probabilities(model.structure, parameters(model, log_theta[0, :, 0]))
    for indices in found:
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
    found = some(everyone, true and Structure.from_label(true), n)
    assert [s.label for s in found] == [s.label for s in everyone if s.label in expected]


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
    """Its own has shaped its plan, which would bias it. Each search serves once for either."""
    of_plans, of_estimates = [], []
    really = tempered_estimates.plan_run

    def plan_run(found, *rest):
        of_plans.append(found)
        return really(found, *rest)

    def log_estimate(plan, n_blocks, rng, from_prior):
        of_estimates.append((plan, from_prior))
        return 0.0

    monkeypatch.setattr(tempered_estimates, "plan_run", plan_run)
    monkeypatch.setattr(tempered_estimates, "log_estimate", log_estimate)
    model = model_of("12-2", UNEQUAL, n=6)
    tempered_estimates.log_estimates(model, 32, 3, lambda *which: generator(0, *which))
    others = [found for _, found in of_estimates]
    assert {id(found) for found in others} == {id(found) for found in of_plans}
    assert len(of_plans) == len({id(plan) for plan, _ in of_estimates}) == 3
    assert all(own is not other for own, other in zip(of_plans, others, strict=True))
