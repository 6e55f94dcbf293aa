"""A job that fails says so with its log and how to go on; its log ends with its processor time."""

import time
from types import SimpleNamespace

import pytest

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
        assert list(job.on_cores(2, busy, [(0.5,), (0.7,), (0.4,)])) == [0.5, 0.7, 0.4]
        after = time.process_time()
    assert after - before >= 0.5
    assert job.seconds_spent(log) - after >= 1.6  # with the start of two workers


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


def test_the_time_left_is_that_of_the_work_left(monkeypatch, capsys):
    clock = iter([0.0, 30.0, 60.0])
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    progress = job.Progress("fits", 40)
    progress.add(5)  # no line within a minute
    progress.add(5)  # a quarter in a minute
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"fits: 25 % done, about {in_words(180)} left"
    ]
