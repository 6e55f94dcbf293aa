"""A job that fails says so with its log and how to go on; its log ends with its processor time."""

import time
from types import SimpleNamespace

import pytest

from latentdag import Family, enumerate_structures
from latentdag.engine.durations import in_words
from lib import job


def busy(seconds: float) -> float:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


@pytest.mark.slow
def test_a_log_ends_with_the_processor_time_of_the_job_and_its_workers(tmp_path, monkeypatch):
    log = tmp_path / "job.log"
    monkeypatch.setattr(job, "_of_workers", {})
    before = time.process_time()
    with job.logged(str(log)):
        busy(0.5)
        # the first ends last
        assert list(job.on_cores(2, busy, [(1.2,), (0.1,), (0.3,)])) == [1.2, 0.1, 0.3]
        after = time.process_time()
    assert after - before >= 0.5
    assert job.seconds_spent(log) - after >= 1.6  # with the start of two workers


def test_a_file_that_is_missing_is_not_taken_for_the_log(tmp_path, capsys):
    log, lost = tmp_path / "job.log", tmp_path / "cases.csv"
    with pytest.raises(SystemExit), job.logged(str(log)):
        lost.read_text()
    said = capsys.readouterr().err
    assert str(lost) in said and str(log) not in said
    with pytest.raises(SystemExit), job.logged(str(tmp_path / "nowhere/job.log")):
        pass
    assert str(tmp_path / "nowhere/job.log") in capsys.readouterr().err


@pytest.mark.slow
def test_a_job_that_fails_says_all(study, monkeypatch):
    """The rule, the log with what went wrong, the error in one line, and how to go on. Before
    that it imports the project's code, and not what a user has on the path.
    """
    other = study.folder / "other/latentdag/__init__.py"
    other.parent.mkdir(parents=True)
    other.write_text("raise ImportError('another copy')")
    environment = study.environment() | {"PYTHONPATH": str(other.parents[1])}
    monkeypatch.setattr(study, "environment", lambda: environment)
    head = "with logged(snakemake.log[0]):\n"
    broken = f"{head}    raise ValueError('no luck')\n"
    with study.edited("workflow/scripts/structures.py", lambda text: text.replace(head, broken)):
        said = study.run("results/structures.csv", status=1)
    assert "ValueError: no luck" in said.splitlines()
    assert "Error in rule structures" in said
    assert "Traceback" in said.partition("Logfile results/logs/structures.log:")[2]
    *_, last = said.splitlines()
    assert "the same command resumes" in last.lower()


@pytest.mark.parametrize(("together", "n_workers"), [(136, 1), (5, 1), (136, 3), (3, 5), (9, 99)])
def test_the_parts_of_a_job_have_every_structure_once(together, n_workers):
    """Each of one family, not too large, and of each family one for each worker."""
    families = [Family((2,), (2, 2, 2)), Family((3, 2), (2, 2, 2))]
    structures = [s for family in families for s in enumerate_structures(family)]
    parts = list(job.batches(structures, together, n_workers))
    assert [s for part in parts for s in part] == structures
    assert all(0 < len(part) <= together for part in parts)
    for family in families:
        of_family = [part for part in parts if {s.family for s in part} == {family}]
        assert len(of_family) >= min(n_workers, sum(map(len, of_family)))


def test_the_time_left_is_that_of_the_work_left(monkeypatch, capsys):
    clock = iter([0.0, 30.0, 60.0, 90.0])
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    progress = job.Progress("fits", 40)
    progress.add(5)  # no line within a minute
    progress.add(5)  # a quarter in a minute
    progress.add(5)  # no line within a minute of the last one
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"fits: 25 % done, about {in_words(180)} left"
    ]
