"""What every score of the registry must do: a new one is held to this without a new test.

Its value is another matter: that takes an oracle of its own.
"""

from dataclasses import replace
from math import isfinite, isnan

import numpy as np
import oracles
import pytest

from latentdag import Family, Prior, Structure, score, score_structures
from latentdag.scores import JOBS, METHODS, SPECS, compute, run_job, settings_of, settings_used
from latentdag.scores.base import Side, Task

LABELS = ["0-0-0-0", "1-0-1-1", "1-1-1-1", "1-2-0-0", "1-1-2-2", "1-12-12-2", "12-12-12-12"]
EXACT_WITHOUT_LINKS = ("cs", "cs_dim", "cs_lr", "vb", "vb_lr", "vb_collapsed", "vb_mf", "vb_online")
EXACT_WITHOUT_LINKS += ("vb_mix", "exact", "tempered_smc", "reference")
N = 10  # cases: few enough for `exact`
QUICK = {"restarts": 12, "hits": 2, "max_iterations": 900, "steps": 64, "chains": 3}
QUICK |= {"particles": 64, "runs": 3}
PRIOR, SEED, KEY = Prior(0.8, 1.3), 7, (3,)


def each(kind):
    """Every score whose declaration is of this kind."""
    return pytest.mark.parametrize("method", [m for m in METHODS if kind(SPECS[m])])


each_score = each(lambda spec: True)
fitted = each(lambda spec: spec.job.estimates is not None)


def quick(method):
    return {name: QUICK[name] for name in settings_used(method) if name in QUICK}


def one(cases, label, method, **changes):
    settings = {"alpha": 0.8, "alpha_hidden": 1.3, "seed": SEED, "key": KEY}
    settings |= quick(method) | changes
    return score(cases, Structure.from_label(label), method, **settings)


@pytest.fixture(scope="module")
def together(cases):
    """Every score of all structures, computed together, and what the jobs found."""
    task = Task([Structure.from_label(x) for x in LABELS], cases[:N], PRIOR, SEED, KEY)
    scores, results = compute(task, METHODS, QUICK)
    return task, {(s.method, s.structure.label): s for s in scores}, results


@each_score
@pytest.mark.parametrize("label", LABELS)
def test_alone_or_in_company_to_the_bit(cases, together, method, label):
    assert repr(one(cases[:N], label, method)) == repr(together[1][method, label])


@each(lambda spec: spec.name != "vb_online")  # which takes one case after the other
def test_the_order_of_the_cases_shows_in_no_bit(cases, method):
    orders = (np.arange(N)[::-1], np.random.default_rng(0).permutation(N))
    for label in ("1-12-12-2", "1-1-1-1"):
        expected = repr(one(cases[:N], label, method))
        assert {repr(one(cases[:N][order], label, method)) for order in orders} == {expected}


@each_score
@pytest.mark.parametrize(
    ("label", "canonical"),
    [("2-12-12-1", "1-12-12-2"), ("2-2-1-12", "1-1-2-12"), ("2-2-2-2", "1-1-1-1")],
)
def test_exchanged_causes_give_the_identical_result(cases, method, label, canonical):
    assert repr(one(cases[:N], label, method)) == repr(one(cases[:N], canonical, method))


@fitted
def test_renamed_hidden_states_give_the_same_score(together, method):
    """A score that is read off a fit must not see which state of a hidden variable is which."""
    task, scores, fits = together
    fits = fits[SPECS[method].job.name]
    # both hidden variables' two states exchanged: the joint states in reverse, and p(s) within them
    columns = np.arange(24)
    columns[20:] = [21, 20, 23, 22]
    renamed = {}
    for label in ("1-12-12-2", "12-12-12-12", "1-1-2-2"):
        renamed[label] = replace(fits[label], optima=fits[label].optima[:, ::-1, columns].copy())
    of_renamed = replace(task, structures=[Structure.from_label(label) for label in renamed])
    for again in SPECS[method].read(of_renamed, renamed):
        expected = scores[method, again.structure.label].score
        assert again.score == pytest.approx(expected, abs=1e-9, nan_ok=True)


@each_score
def test_a_score_is_finite_or_gives_the_reason(together, method):
    for label in LABELS:
        s = together[1][method, label]
        assert (s.method, s.n, s.structure.label) == (method, N, label)
        assert isfinite(s.score) == (s.reason == "")
        if not SPECS[method].monte_carlo or s.restarts == 1:
            assert isnan(s.standard_error)
        elif s.structure.n_links:
            assert s.standard_error > 0


@each_score
@pytest.mark.parametrize(
    "structure",
    [
        Structure.from_label("1-12-2", Family((2, 3), (3, 2, 4))),
        Structure.from_label("1-0", Family((3,), (2, 2))),
        Structure.from_label("12-13-23", Family((2, 2, 2), (3, 2, 2))),
        Structure.from_label("1", Family((2,), (4,))),
    ],
    ids=str,
)
def test_every_family(method, structure):
    observed = structure.family.observed
    cases = np.random.default_rng(1).integers(observed, size=(5, len(observed)))
    result = score(cases, structure, method, **quick(method))
    assert isfinite(result.score) or result.reason


@each(lambda spec: spec.side is Side.LOWER_BOUND)
def test_a_lower_bound_is_below_the_evidence(together, method):
    gaps = [together[1]["exact", x].score - together[1][method, x].score for x in LABELS]
    assert min(gaps) > -1e-9
    assert max(gaps) > 0.1  # and not the evidence itself


@pytest.mark.parametrize(
    "ascending",
    [("map", "ml"), ("cs", "vb", "vb_collapsed", "vb_mix"), ("vb_mf", "vb", "vb_eb")],
    ids=" ".join,
)
def test_a_maximum_over_more_is_no_lower(together, ascending):
    for label in LABELS:
        assert np.diff([together[1][method, label].score for method in ascending]).min() > -1e-9


@each(lambda spec: spec.name in EXACT_WITHOUT_LINKS)
@pytest.mark.parametrize("n", [N, 480])
def test_without_links_it_is_the_closed_form_where_it_must_be(cases, method, n):
    few = cases[:n]
    expected = oracles.log_evidence_without_parents(Family(), few, 0.8)
    assert one(few, "0-0-0-0", method).score == pytest.approx(expected, abs=1e-8)


@each(lambda spec: spec.monte_carlo and spec.name != "ais_single")  # one chain has no error
def test_a_sampled_score_is_the_evidence_under_unequal_priors(method):
    """Within 5 of its standard errors, where the exchanged priors are further away than that; and
    for SMC also those of equal alphas.
    """
    effort = {"steps": 8192, "chains": 32, "particles": 128, "runs": 8}
    settings = {name: effort[name] for name in settings_used(method) if name in effort}
    cases = np.repeat([[0, 0, 0, 1], [1, 1, 2, 4]], 5, axis=0)
    for alpha, alpha_hidden in ((4.0, 0.4), (0.4, 4.0)):
        others = [(alpha_hidden, alpha)]
        if method in ("tempered_smc", "reference") and alpha > 1:
            others.append((alpha, alpha))
        exact, *wrong = (
            one(cases, "1-12-2-0", "exact", alpha=a, alpha_hidden=b).score
            for a, b in ((alpha, alpha_hidden), *others)
        )
        prior = {"alpha": alpha, "alpha_hidden": alpha_hidden}
        sampled = one(cases, "1-12-2-0", method, **prior, **settings)
        assert abs(sampled.score - exact) < 5 * sampled.standard_error
        assert all(abs(exact - value) > 5 * sampled.standard_error for value in wrong)


@pytest.mark.parametrize(
    ("job", "name"), [(job.name, s.name) for job in JOBS.values() for s in job.settings]
)
def test_declared_settings_are_honoured(cases, job, name):
    """Another value gives another result: for every setting, whatever it does."""
    (setting,) = [s for s in JOBS[job].settings if s.name == name]
    quick = QUICK | {"restarts": 24, "hits": 24, "most_runs": 24}
    n, values = 40, (setting.minimum, 48)  # on both sides of n, which some compare with
    values = (False, True) if isinstance(setting.default, bool) else values
    task = Task([Structure.from_label("1-12-12-2")], cases[:n], PRIOR, SEED, KEY)
    needs = JOBS[job].needs
    _, fits = compute(task, [m for m in METHODS if SPECS[m].job.name in needs], quick)
    estimates = {name: JOBS[name].estimates(fits[name]) for name in needs}
    results = [
        run_job(JOBS[job], task, settings_of(JOBS[job], quick) | {name: value}, estimates)[0]
        for value in values
    ]
    assert repr(results[0]) != repr(results[1])


@each_score
def test_the_seed_is_all_the_chance_there_is(cases, method):
    often = dict.fromkeys({"restarts", "hits"} & set(settings_used(method)), 48)
    first, again, other = (
        one(cases[:N], "1-12-12-2", method, seed=seed, **often) for seed in (1, 1, 2)
    )
    assert repr(first) == repr(again)
    if SPECS[method].monte_carlo:
        assert first.score != other.score
    else:
        assert first.score == pytest.approx(other.score, abs=1e-5, nan_ok=True)


def test_names_labels_and_places_are_unique():
    for values in (
        [s.name for s in SPECS.values()],
        [s.label for s in SPECS.values()],
        [s.key for job in JOBS.values() for s in job.settings if s.key != "max_iterations"],
    ):
        assert len(set(values)) == len(values)


def test_structures_come_in_the_order_asked_for(cases):
    labels = ["12-12-12-12", "0-0-0-0", "1-12-12-2", "1-1-1-1"]
    structures = [Structure.from_label(label) for label in labels]
    for method in METHODS:
        scores = score_structures(cases[:N], structures, method, **quick(method))
        assert [s.structure.label for s in scores] == labels, method
