"""The method that the time allows, with made-up costs and a clock that only work moves."""

from dataclasses import replace
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest

from latentdag import Family, Structure, enumerate_structures
from latentdag.command import cost_model as costs
from latentdag.command import method_choice as choice
from latentdag.command.method_choice import choose, likely_scored
from latentdag.data.counts import Counts
from latentdag.engine.parallel import START
from latentdag.inference.particles import evidence
from latentdag.model.parameters import Prior
from latentdag.scores import SPECS
from latentdag.scores.base import Task

SMALL = Family((2, 2), (2, 3, 2))
STRUCTURES = enumerate_structures(SMALL)
CASES = np.array([[0, 2, 1], [1, 0, 0], [1, 1, 1]] * 4)


class Clock:
    """Seconds that pass when something says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def laws(monkeypatch):
    """Laws of three methods: seconds per parameter, and which stages were asked."""
    asked = []

    def stage(name: str, each: float):
        def law(task, settings, clock):
            asked.append(name)
            return each * task.structures[0].n_parameters

        return law

    def set_to(exact: float, reference: tuple[float, float], bic: float) -> list:
        own = {
            "exact": (stage("exact", exact),),
            "reference": (stage("bound", reference[0]), stage("reference", reference[1])),
            "bic": (stage("bic", bic),),
        }
        monkeypatch.setattr(choice, "LAWS", own)
        monkeypatch.setattr(choice, "LADDER", tuple(own))
        return asked

    return set_to


PARAMETERS = sum(s.n_parameters for s in STRUCTURES)


def test_the_most_trusted_in_time_is_chosen(laws):
    laws(0.001, (0.0, 0.0), 0.0)
    found = choose(CASES[:3], STRUCTURES, within=PARAMETERS * 0.0011)
    assert found.method == "exact" and found.better == ()
    assert found.chosen.seconds == pytest.approx(0.001 * PARAMETERS)  # linear between the three


def test_what_takes_too_long_is_passed_over_as_soon_as_that_is_known(laws):
    asked = laws(0.1, (0.2, 0.3), 0.001)
    found = choose(CASES[:3], STRUCTURES, within=PARAMETERS * 0.01)
    assert found.method == "bic"
    assert [(p.method, p.at_least) for p in found.better] == [("exact", True), ("reference", True)]
    # all structures have at least as many parameters as the first
    fewest = min(s.n_parameters for s in STRUCTURES)
    assert found.better[1].seconds == pytest.approx(0.2 * fewest * len(STRUCTURES))
    assert asked.count("bound") == 2 and asked.count("reference") == 0  # one to load what it takes


def test_the_last_stage_of_the_last_structure_is_no_bound(laws):
    laws(0.001, (0.0, 0.0), 0.0)
    found = choose(CASES[:3], STRUCTURES, within=PARAMETERS * 0.001 - 1e-6)
    assert not found.better[0].at_least


def test_where_nothing_is_in_time_the_last_is_used(laws):
    laws(1.0, (1.0, 1.0), 1.0)
    found = choose(CASES[:3], STRUCTURES, within=0.001)
    assert found.method == "bic" and found.chosen.seconds > 0.001
    assert [p.method for p in found.better] == ["exact", "reference"]


def test_cores_share_the_work(laws):
    laws(1.0, (0.0, 0.0), 0.0)
    found = choose(CASES[:3], STRUCTURES, within=1e6, cores=4)
    assert found.chosen.seconds == pytest.approx(START + PARAMETERS / 4)
    laws(START / PARAMETERS / 2, (0.0, 0.0), 0.0)  # processes would not pay
    found = choose(CASES[:3], STRUCTURES, within=1e6, cores=4)
    assert found.chosen.seconds == pytest.approx(START / 2)
    laws(9.0, (0.0, 0.0), 0.0)
    one = choose(CASES[:3], STRUCTURES[-1:], within=1e6, cores=4)  # a structure keeps to one
    assert one.chosen.seconds == pytest.approx(9 * STRUCTURES[-1].n_parameters)


def test_more_structures_than_are_known(laws):
    laws(0.001, (0.0, 0.0), 0.0)
    found = choose(CASES[:3], STRUCTURES, within=1e6, n_scored=5 * len(STRUCTURES))
    assert found.chosen.seconds == pytest.approx(0.005 * PARAMETERS)


def test_what_cannot_be_done_is_not_chosen(laws, monkeypatch):
    asked = laws(0.0, (0.0, 0.0), 0.0)

    def too_many(task, settings, clock):
        raise FloatingPointError("out of range")

    monkeypatch.setitem(choice.LAWS, "reference", (too_many,))
    many = np.repeat(CASES, 4, axis=0)
    found = choose(many, STRUCTURES)
    assert found.method == "bic"
    exact, reference = found.better
    assert "48 cases are too many" in exact.why_not and exact.seconds == inf
    assert reference.why_not == "out of range"
    assert "exact" not in asked  # its own check comes before any work
    assert choose(many, STRUCTURES, within=inf).method == "bic"


@pytest.mark.parametrize("within", [0, -1.0, float("nan"), "60", None])
def test_time_is_above_0(within):
    with pytest.raises(ValueError, match="within must be"):
        choose(CASES, STRUCTURES, within=within)


def test_the_task_has_the_prior_the_seed_and_the_settings(monkeypatch):
    seen = set()

    def law(task, settings, clock):
        seen.add((task.prior, task.seed, settings["restarts"]))
        return 0.0

    monkeypatch.setattr(choice, "LAWS", {"bic": (law,)})
    monkeypatch.setattr(choice, "LADDER", ("bic",))
    choose(CASES, STRUCTURES, alpha=0.5, alpha_hidden=2.0, seed=7, restarts=3)
    assert seen == {(Prior(0.5, 2.0), 7, 3)}


def test_settings_are_checked():
    with pytest.raises(ValueError, match="particles must be at least"):
        choose(np.repeat(CASES, 4, axis=0), STRUCTURES, particles=1)
    with pytest.raises(ValueError, match="did you mean 'particles'"):
        choose(CASES, STRUCTURES, particle=8)


def test_with_real_costs():
    assert choose(CASES[:4], STRUCTURES, within=1e6).method == "exact"
    many = np.repeat(CASES, 4, axis=0)
    assert choose(many, STRUCTURES, within=1e6).method == "reference"
    assert choose(many, STRUCTURES, within=1e-9).method == "bic"
    families = [*STRUCTURES, *enumerate_structures(Family((3,), SMALL.observed))]
    assert choose(many, families, within=1e6).method == "reference"
    assert choose(many, [Structure(((),) * 3, SMALL)], within=1e6).method == "exact"


def task_of(label: str, n: int) -> Task:
    s = Structure.from_label(label, SMALL)
    return Task([s], np.resize(CASES, (n, 3)), Prior())


@pytest.mark.parametrize("variance", [0.5, 40.0, 1200.0])
@pytest.mark.parametrize("n", [60, 900])
def test_the_references_law_is_what_it_does(monkeypatch, variance, n):
    """Runs whose ln estimates have ``variance`` over their particles, and whose time is linear."""
    clock = Clock()

    def log_estimates(model, particles, rngs):
        clock.now += len(model.log_unlinked) * particles * len(rngs) * 1e-6
        return np.array([r.normal(0, (variance / particles) ** 0.5) for r in rngs])

    monkeypatch.setattr(evidence, "log_estimates", log_estimates)
    job = SPECS["reference"].job
    own = task_of("1-12-2", n)
    predicted, least, real = [], [], []
    for seed in range(12):
        seeded = replace(own, seed=seed)
        least.append(costs.fewest_runs(seeded, job.defaults(), clock))
        predicted.append(costs.likely_runs(seeded, job.defaults(), clock))
        began = clock.now
        job.run(seeded, job.defaults(), {})
        real.append(clock.now - began)
    assert np.mean(predicted) == pytest.approx(np.mean(real), rel=0.5)
    assert max(least) <= 1.05 * min(real)
    if variance < 1:
        assert np.mean(predicted) == pytest.approx(np.mean(real), rel=0.05)
    one_round = job.defaults() | {"runs": 6, "most_runs": 6, "particles": 8}
    assert costs.likely_runs(own, one_round, clock) == pytest.approx(n * 8 * 6 * 1e-6)
    assert costs.fewest_runs(own, one_round, clock) == pytest.approx(n * 8 * 6 * 1e-6)


def test_the_bridges_law(monkeypatch):
    """So much for each stage, and for each block of particles in it."""
    clock = Clock()

    def run(task, settings, estimates):
        blocks, runs = settings["particles"] // 16, settings["runs"]
        half = -(-blocks // 2)
        clock.now += 0.3 * (1 + 3 * runs) + 0.02 * (half + runs * (half + half + blocks))

    spec = SPECS["bridge"]
    monkeypatch.setitem(SPECS, "bridge", replace(spec, job=replace(spec.job, run=run)))
    settings = {"particles": 208, "runs": 5}
    predicted = costs.bridges(task_of("1-12-2", 30), settings, clock)
    began = clock.now
    run(None, settings, {})
    assert predicted == pytest.approx(clock.now - began)


def test_the_law_of_enumeration(monkeypatch):
    clock = Clock()

    def run(task, settings, estimates):
        clock.now += 0.5 * 4.0 ** (task.n - 12)

    spec = SPECS["exact"]
    monkeypatch.setitem(SPECS, "exact", replace(spec, job=replace(spec.job, run=run)))
    assert costs.enumeration(task_of("1-12-2", 12), {}, clock) == pytest.approx(0.5)
    assert clock.now < 0.5 / 16  # with fewer cases
    assert costs.enumeration(task_of("1-12-2", 3), {}, clock) == pytest.approx(0.5 * 4.0**-9)


@pytest.mark.parametrize(("at_best", "rounds"), [(8, 1), (3, 3), (1, 5)])
def test_the_law_of_fits(monkeypatch, at_best, rounds):
    """Hits 8, restarts 40: five rounds at most; reading takes as long whatever the rounds."""
    clock = Clock()

    def run(task, settings, estimates):
        assert settings == {"restarts": 8, "hits": 8, "max_iterations": 99}
        clock.now += 0.03 * len(task.structures)
        return {s.label: SimpleNamespace(restarts_at_best=at_best) for s in task.structures}

    def read(task, found):
        clock.now += 0.5 * len(found)
        return iter(())

    spec = SPECS["laplace"]
    fake = replace(spec, job=replace(spec.job, run=run), read=read)
    monkeypatch.setitem(SPECS, "laplace", fake)
    task = replace(task_of("1-12-2", 12), structures=STRUCTURES[:16])
    settings = {"restarts": 40, "hits": 8, "max_iterations": 99}
    law = costs.fits("laplace")
    assert law(task, settings, clock) == pytest.approx(0.03 * rounds + 0.5)
    assert clock.now == pytest.approx(0.03 * (1 + 2 + 4) + 0.5 * 4)  # until 0.1 s were worked


def test_few_cases_are_spread_evenly():
    """Of 1, 2 and 7 cases that are alike, 10 in all."""
    patterns = np.array([[0, 0, 0], [0, 2, 1], [1, 0, 1]])
    task = Task(STRUCTURES[:1], Counts(patterns, np.array([1, 2, 7])), Prior())
    found = costs.few_cases(task, 5).cases
    assert np.array_equal(found.patterns, patterns[1:]) and found.numbers.tolist() == [1, 4]
    assert costs.few_cases(task, 10) is task and costs.few_cases(task, 99) is task
    whole = np.repeat(patterns, [1, 2, 7], axis=0)
    assert costs.few_cases(replace(task, cases=whole), 5).cases.numbers.tolist() == [1, 4]
    many = replace(task, cases=Counts(patterns, np.array([2**52, 1, 2**52 - 1])))
    assert costs.few_cases(many, 160).n == 160


def test_what_a_search_is_likely_to_score():
    """About as many as searches of width 5 did, in the mean (README), and of a large table; not
    more than there are.
    """
    for causes, variables, scored in ((2, 4, 100), (3, 4, 150), (3, 6, 700), (5, 12, 11_078)):
        some, n = likely_scored(Family((2,) * causes, (2,) * variables), 5)
        assert len(set(some)) == len(some) and all(s == s.canonical() for s in some)
        assert scored / 1.5 < n < 1.5 * scored
    wide = Family((2, 2, 2), (2,) * 6)
    assert likely_scored(wide, 14)[1] == pytest.approx(2 * likely_scored(wide, 7)[1], abs=1)
    assert likely_scored(SMALL, 100)[1] == len(STRUCTURES)
    assert likely_scored(Family((), (2, 2)), 1)[1] == 1
