"""The reference evidence: what it depends on, what is fixed in advance, which input it refuses."""

import subprocess
import sys

import numpy as np
import pytest
from completions import log_joint

from latentdag.model import Prior, draw_study
from latentdag.sampling.smc import bounds, evidence, run
from latentdag.sampling.smc.bounds import log_evidence_upper
from latentdag.sampling.smc.evidence import (
    log_evidence_alone,
    log_evidence_in_groups,
    log_evidence_path,
)
from latentdag.sampling.smc.particles import Particles
from latentdag.sampling.smc.schedule import GRID, lanes, order, rejuvenation_times
from latentdag.structures import Family, Structure

TRUE = Structure.from_label("1-12-12-2")
EMPTY = Structure.from_label("0-0-0-0")


def in_groups(cases, sizes, structure=TRUE, particles=40, runs=3, alone_from=500, prior=Prior()):
    return log_evidence_in_groups(
        cases, structure, sizes, prior, particles, runs, alone_from, 5, ("x", 1)
    )


def columns(found):
    return [tuple(column) for column in zip(*found[:2], *found.by_run, strict=True)]


# on the path, off the grid, on the grid but alone, off the grid and alone
MANY = [480, 77, 560, 10, 520, 110, 40]


@pytest.fixture(scope="module")
def by_size(cases):
    return dict(zip(MANY, columns(in_groups(cases[:600], MANY)), strict=True))


@pytest.mark.parametrize("n", MANY)
def test_a_size_alone_has_the_value_that_it_has_among_others(cases, by_size, n):
    assert columns(in_groups(cases, [n])) == [by_size[n]]
    assert columns(in_groups(cases[:n], [n])) == [by_size[n]]


@pytest.mark.parametrize(
    "sizes",
    [
        sorted(MANY),
        sorted(MANY, reverse=True),
        [110, 77, 40],
        [520, 10],
        [10, 10, 480, 10],
        [480, 20, 80, 160, 200, 479, 481, 590],
    ],
)
def test_values_stand_under_their_sizes_whatever_others_there_are(cases, by_size, sizes):
    found = in_groups(cases[:600], sizes)
    assert len({by_size[n][0] for n in MANY}) == len(MANY)
    for n, column in zip(sizes, columns(found), strict=True):
        assert n not in by_size or column == by_size[n]


def test_sizes_on_the_grid_are_those_of_one_path(cases, by_size):
    on_path = [n for n in GRID if n <= 480]
    path = log_evidence_path(cases, TRUE, on_path, Prior(), 40, 3, 5, ("x", 1, "to 2560"))
    found = dict(zip(on_path, columns(path), strict=True))
    assert all(found[n] == by_size[n] for n in (10, 40, 110, 480))


def test_other_sizes_have_runs_of_their_own(cases, by_size):
    for n, particles in ((77, 40), (520, 10), (560, 10)):
        arguments = (TRUE, [n], Prior(), particles, 3, 5, ("x", 1, f"to {n}"))
        assert columns(log_evidence_path(cases[:n], *arguments)) == [by_size[n]]
        alone = log_evidence_alone(cases[:n], TRUE, Prior(), 40, 3, 500, 5, ("x", 1))
        assert columns(alone) == [by_size[n]]


def test_a_quarter_of_the_particles_from_alone_from_on(cases):
    arguments = (Prior(), 40, 3, 5, ("x", 1, "to 2560"))
    on_path = columns(log_evidence_path(cases, TRUE, [10, 20], *arguments))
    assert columns(in_groups(cases, [20], particles=40, alone_from=21)) == on_path[1:]
    for asked, particles in ((40, 10), (5, 2)):
        arguments = (Prior(), particles, 3, 5, ("x", 1, "to 20"))
        alone = columns(log_evidence_path(cases, TRUE, [20], *arguments))
        assert columns(in_groups(cases, [20], particles=asked, alone_from=20)) == alone


def test_runs_of_their_own_do_not_depend_on_the_order_of_the_cases(cases):
    arguments = (TRUE, Prior(), 40, 3, 500, 5)
    found = log_evidence_alone(cases[:300], *arguments)
    mixed = np.random.default_rng(0).permutation(cases[:300])
    assert columns(log_evidence_alone(mixed, *arguments)) == columns(found)
    assert found.log_evidence.shape == found.standard_error.shape == (1,)


def test_a_path_that_ends_early_rounds_as_the_whole():
    """With so many variables the loops need double precision on the way to 2560, not to 480."""
    structure = Structure.from_label("-".join(["1", "2", "12"] * 3), Family((2, 2), (2,) * 9))
    cases = np.random.default_rng(0).integers(2, size=(2560, 9))
    arguments = {"structure": structure, "particles": 4, "runs": 2, "alone_from": 5120}
    whole = in_groups(cases, [20, 2560], **arguments)
    assert columns(whole)[0] == columns(in_groups(cases[:20], [20], **arguments))[0]


def test_values_are_those_of_the_study():
    """Those of results/scores.csv; with other streams they would differ by about their errors."""
    cases = draw_study(TRUE, Prior(), 80, seed=2003).cases
    found = log_evidence_in_groups(cases, TRUE, [80, 10], Prior(), 4096, 12, 5120, 2003, (0,))
    assert found.log_evidence == pytest.approx([-495.499061, -65.546728], abs=1e-5)
    assert found.standard_error == pytest.approx([0.013789, 0.001002], abs=1e-5)


def test_a_path_depends_on_nothing_else(cases):
    path = log_evidence_path(cases[:100], TRUE, [10, 40, 77, 100], Prior(), 50, 3, 5, ("x", 1))
    part = log_evidence_path(cases[:90], TRUE, [77, 10, 40], Prior(), 50, 2, 5, ("x", 1))
    assert path.by_run[:2, [2, 0, 1]].tolist() == part.by_run.tolist()
    other = log_evidence_path(cases[:90], TRUE, [77], Prior(), 50, 2, 5, ("x", 2))
    assert other.by_run[0, 0] != part.by_run[0, 0]


def test_no_two_runs_share_a_stream(cases, monkeypatch):
    keys = []

    def recorded(seed, *key):
        keys.append("/".join(map(str, key)))
        return generator(seed, *key)

    generator = evidence.generator
    monkeypatch.setattr(evidence, "generator", recorded)
    monkeypatch.setattr(bounds, "generator", recorded)
    for label in ("1-1-1-1", "1-12-12-2"):
        structure = Structure.from_label(label)
        for draw in (0, 1):
            log_evidence_in_groups(
                cases, structure, [10, 15, 40, 60], Prior(), 4, 3, 50, 0, (draw,)
            )
            for n in (10, 15):
                states = np.zeros((n, 2), dtype=int)
                log_evidence_upper(cases[:n], states, structure, Prior(), 4, 3, 0, (draw,))
    # 3 runs of each structure, of each draw: on the path, alone at 15 and 60, bounds at 10 and 15
    assert len(keys) == len(set(keys)) == 3 * 2 * 2 * (1 + 2 + 2)


def test_without_links_equals_closed_form(cases):
    sizes = [1, 10, 480, 2560]
    states = np.zeros((1, 2560, 0), dtype=int)
    model = EMPTY.without_childless()
    exact = [log_joint(model, Prior(0.7), states[:, :n], cases[:n])[0] for n in sizes]
    path = log_evidence_path(cases, EMPTY, sizes, Prior(0.7), 10, 12)
    groups = log_evidence_in_groups(cases, EMPTY, sizes, Prior(0.7), 10, 12, 480)
    upper = log_evidence_upper(cases, np.zeros((2560, 2), dtype=int), EMPTY, Prior(0.7), 10, 12)
    for found in (path, groups, upper):
        np.testing.assert_allclose(found.log_evidence, exact[-len(found.log_evidence) :], 1e-12)
        np.testing.assert_allclose(found.standard_error, 0, atol=1e-9)


def test_childless_hidden_variables_are_ignored(cases):
    """Their states are not retained: those of the others must be, whichever comes first."""
    structure = Structure.from_label("2-2-0-2")
    states = np.random.default_rng(0).integers(2, size=(30, 2))
    other_first, other_second = states ^ [1, 0], states * [1, 0]

    def by_run(states):
        return log_evidence_upper(cases[:30], states, structure, Prior(), 4, 3).by_run.tolist()

    assert by_run(states) == by_run(other_first) != by_run(other_second)


def test_the_grid():
    """With another grid every value of the study would be another."""
    assert GRID[:9] == (10, 20, 40, 80, 110, 160, 230, 320, 400)
    assert GRID[9:] == (430, 480, 560, 640, 800, 960, 1120, 1280, 2560)


def test_order_keeps_to_the_stops_and_spreads_equal_cases():
    cases = np.repeat([[0, 0], [1, 0], [1, 1], [0, 1]], 25, axis=0)
    found = order(cases, [40, 100])
    assert sorted(found[:40]) == list(range(40)) and sorted(found[40:]) == list(range(40, 100))
    assert (order(cases[:70], [40]) == found[:40]).all()
    # every ten cases in a row resemble the whole stretch: 10 of the 60 have (1, 0), 25 (0, 1)
    for start in range(40, 91, 10):
        stretch = cases[found[start : start + 10]]
        assert 1 <= (stretch == [1, 0]).all(axis=1).sum() <= 3
        assert 3 <= (stretch == [0, 1]).all(axis=1).sum() <= 6


def test_times_and_numbers_of_particles():
    assert rejuvenation_times(1) == []
    times = rejuvenation_times(2560)
    assert times[:19] == list(range(1, 20)) and times[-1] < 2560
    assert times[19:24] == [20, 22, 24, 26, 28]
    assert rejuvenation_times(480) == [t for t in times if t < 480]
    counts = {1: 4096, 640: 4096, 641: 2048, 2560: 2048, 2561: 1024, 10240: 1024, 10241: 512}
    assert {n: lanes(4096, n) for n in counts} == counts
    assert lanes(3, 10**6) == 2


def test_a_run_follows_its_schedule_and_its_trajectory(cases, monkeypatch):
    """Which steps a conditional run takes, and that lane 0 keeps to its trajectory throughout."""
    times, n = rejuvenation_times(30), 30
    model = run.Model(TRUE, cases[:n], Prior())
    rng = np.random.default_rng(0)
    codes = [model.encode(rng.integers(2, size=(t, 2))) for t in (*times, n)]
    steps = []

    def spy(name):
        method = getattr(Particles, name)

        def spied(particles, *args, **kwargs):
            method(particles, *args, **kwargs)
            steps.append((name, particles.n))
            if name == "resample":
                assert args[0] == lanes(50, particles.n) and kwargs == {"conditional": True}
            known = particles.lanes.states[: particles.n, 0].tolist()
            rejuvenated = sum(step == "sweep" for step, _ in steps)
            assert known == codes[rejuvenated][: particles.n].tolist()

        monkeypatch.setattr(Particles, name, spied)

    for name in ("add", "resample", "sweep"):
        spy(name)
    run.log_estimates(model, np.array([n]), 50, rng, codes)
    expected = [(name, t) for t in times for name in ("add", "resample", "sweep")]
    assert steps == [*expected, ("add", n)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": [0, 5]}, "sizes must lie from 1"),
        ({"sizes": [11]}, "sizes must lie from 1 to the number of cases, 10"),
        ({"sizes": []}, "sizes must be a non-empty"),
        ({"sizes": [2.0]}, "sizes must be a non-empty sequence of integers"),
        ({"particles": 1}, "at least 2 particles"),
        ({"runs": 1}, "2 runs"),
        ({"cases": np.full((10, 4), 5)}, "is not an integer from 0 to 4"),
    ],
)
def test_invalid_input_is_named(change, message):
    arguments = {
        "cases": np.zeros((10, 4), dtype=int),
        "structure": Structure.from_label("1-1-1-1"),
        "sizes": [10],
        "prior": Prior(),
        "particles": 4,
        "runs": 2,
    } | change
    with pytest.raises(ValueError, match=message):
        log_evidence_path(**arguments)
    with pytest.raises(ValueError, match=message):
        log_evidence_in_groups(**arguments, alone_from=100)


@pytest.mark.parametrize(
    "states", [np.zeros((10, 1), dtype=int), np.zeros((10, 2)), np.full((10, 2), 2)]
)
def test_invalid_states_are_named(cases, states):
    with pytest.raises(ValueError, match="states"):
        log_evidence_upper(cases[:10], states, Structure.from_label("1-1-1-1"), Prior(), 4, 2)


def test_weights_outside_the_range_of_numbers_are_refused():
    family = Family((2,), (2,) * 400)
    structure = Structure.from_label("-".join(["1"] * 400), family)
    cases = np.random.default_rng(0).integers(2, size=(30, 400))
    with (
        np.errstate(all="ignore"),
        pytest.raises(FloatingPointError, match="alpha is too small for so many variables"),
    ):
        log_evidence_path(cases, structure, [30], Prior(0.01, 1.0), 4, 2)


def test_the_package_does_not_import_numba():
    """It takes a second, which only the reference should cost."""
    code = (
        "import sys, latentdag, latentdag.scores, latentdag.sampling.smc;"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
