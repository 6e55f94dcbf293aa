"""Work over processes: what each item gives, in order, however the work is cut."""

import os

import numpy as np
import pytest

import latentdag
from latentdag.engine import parallel as cores
from latentdag.engine.parallel import spread


class Clock:
    """Seconds pass as items are worked on."""

    def __init__(self, seconds_each: float):
        self.now, self.each, self.done = 0.0, seconds_each, []

    def __call__(self) -> float:
        return self.now

    def work(self, items, report) -> list:
        """Squares, done in this process."""
        self.done += items
        self.now += self.each * len(items)
        return [i * i for i in items]


@pytest.fixture
def sent(monkeypatch) -> list:
    """The pieces that would go to other processes."""
    pieces = []

    def process_parts(function, parts, n):
        for piece in parts:
            pieces.append(piece)
            yield [i * i for i in piece]

    monkeypatch.setattr(cores, "process_parts", process_parts)
    monkeypatch.setattr(cores, "_started", False)
    return pieces


def squares(items, report) -> list:
    return [(i * i, os.getpid()) for i in items]


def test_little_work_starts_no_process(sent):
    clock = Clock(0.01)
    assert spread(clock.work, range(100), 2, clock=clock) == [i * i for i in range(100)]
    assert sorted(clock.done) == list(range(100)) and sent == []


def test_what_takes_long_goes_to_processes(sent):
    clock, reports = Clock(0.1), []
    values = spread(clock.work, range(1000), 2, report_items=reports.append, clock=clock)
    assert values == [i * i for i in range(1000)]
    # the first part loads what it takes, then parts of 16 or 17 until two seconds were worked
    assert len(clock.done) == 3 * 17
    assert sum(reports) == 1000 - len(clock.done) and max(map(len, sent)) <= 17
    everything = np.concatenate([clock.done, *sent])
    assert sorted(everything) == list(range(1000))
    # every part has of the cheap first and of the costly last
    assert all(min(piece) < 250 and max(piece) > 750 for piece in sent)


def test_other_processes_do_the_work(monkeypatch):
    monkeypatch.setattr(cores, "_started", True)
    pairs = spread(squares, range(30), 2)
    assert [value for value, _ in pairs] == [i * i for i in range(30)]
    assert os.getpid() not in {process for _, process in pairs}


@pytest.mark.slow
def test_no_bit_depends_on_the_cores(cases, monkeypatch):
    monkeypatch.setattr(cores, "_started", True)
    structures = latentdag.enumerate_structures()[::5]
    for method, effort in (("vb", {"restarts": 8}), ("reference", {"particles": 8, "runs": 2})):
        reports = []
        alone = latentdag.score_structures(cases[:40], structures, method, **effort)
        spread_out = latentdag.score_structures(
            cases[:40], structures, method, cores=2, report=reports.append, **effort
        )
        assert [repr(s) for s in spread_out] == [repr(s) for s in alone]
        assert sum(reports) == len(structures) * (2 if method == "vb" else 1)  # vb's and map's


@pytest.mark.parametrize("wrong", [0, -1, 2.0, "2"])
def test_cores_are_a_whole_number(cases, wrong):
    with pytest.raises(ValueError, match="cores must be"):
        latentdag.score(cases[:5], latentdag.Structure.from_label("1-1-1-1"), "bic", cores=wrong)


def test_bootstrap_and_search_do_not_depend_on_the_cores(cases, monkeypatch):
    monkeypatch.setattr(cores, "_started", True)
    family = latentdag.Family((2,), (5, 5, 5, 5))
    s, reports = latentdag.Structure.from_label("1-1-1-1", family), []
    fits = [
        latentdag.fit(cases[:40], s, replicates=7, restarts=2, cores=n, report=reports.append)
        for n in (1, 2)
    ]
    assert fits[0].p_value == fits[1].p_value and sum(reports) == 14
    one, two = (
        latentdag.rank_structures(cases[:40], [family], "bic", search=5, restarts=2, cores=n)
        for n in (1, 2)
    )
    assert list(map(repr, one.scores)) == list(map(repr, two.scores))
