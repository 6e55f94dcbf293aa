"""What a job and a run tell: progress, and one line for a job that fails, with its log and how to
go on.
"""

import re
import sys
import time
from math import isnan
from types import SimpleNamespace

import pytest

from latentdag.study.design.files import write_text
from lib import job


@pytest.fixture
def clock(monkeypatch):
    """Seconds that pass when the test says so."""
    now = [0.0]
    monkeypatch.setattr(job, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def told(capsys) -> list[str]:
    out = capsys.readouterr().out
    assert "\r" not in out and out.endswith("\n")
    return out.splitlines()


@pytest.mark.parametrize("step", [1, 0.1, 1 / 3])
def test_progress_is_told_every_twentieth(clock, capsys, step):
    progress = job.Progress("ais", 136)
    for _ in range(round(136 / step)):
        progress.add(step)
    lines = told(capsys)
    assert 15 <= len(lines) <= 21
    assert sum("100 % done" in line for line in lines) == 1
    assert "100 % done" in lines[-1]


def test_the_time_left_is_that_of_the_work_left(clock, capsys):
    """At the speed so far; without a total there is a line for every minute alone."""
    progress, endless = job.Progress("ais", 40), job.Progress("search")
    clock[0] = 30.0
    for each in (progress, endless):
        each.add(10)
    _, line = told(capsys)
    assert line.index(f" {job.in_words(30)}") < line.index(f" {job.in_words(90)}")
    clock[0] = 60.0
    endless.add(10)
    (line,) = told(capsys)
    assert re.findall(r"\d+", line) == ["20", "60"]
    assert [job.in_words(seconds) for seconds in (119, 120, 600)] == ["119 s", "2 min", "10 min"]


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
        own = time.process_time()
    assert own - before >= 0.5
    assert job.seconds_spent(log) - own >= 1.6  # with the start of two workers


def test_a_worker_counts_once(monkeypatch):
    """With its time since its start, by the last piece that it did."""
    monkeypatch.setattr(job, "_of_workers", {})
    pieces = [("a", 17, 1.0), ("b", 18, 2.0), ("c", 17, 3.0)]
    fake = SimpleNamespace(Parallel=lambda n, return_as: lambda _: pieces, delayed=lambda f: f)
    monkeypatch.setattr(job, "joblib", fake)
    assert list(job.on_cores(2, busy, [])) == ["a", "b", "c"]
    spent = job.processor_seconds() - time.process_time()
    assert spent == pytest.approx(5.0, abs=0.1)


def test_a_log_without_its_last_line_has_no_processor_time(tmp_path):
    log = tmp_path / "job.log"
    log.write_text("processor time: 1.00 s\nTraceback\n", encoding="utf-8")
    assert isnan(job.seconds_spent(log))
    assert isnan(job.seconds_spent(tmp_path / "nothing.log"))


def test_an_error_is_one_line_on_the_terminal_and_all_of_it_in_the_log(tmp_path, capsys):
    log = tmp_path / "job.log"

    def work():
        print("before")
        print("a warning", file=sys.stderr)
        raise ValueError("what is wrong")

    with pytest.raises(SystemExit) as end, job.logged(str(log)):
        work()
    assert end.value.code == 1
    assert capsys.readouterr().err == "ValueError: what is wrong\n"
    text = log.read_text()
    assert text.startswith("before\na warning\nTraceback")
    assert text.endswith("ValueError: what is wrong\n")


def test_a_full_disk_is_told_with_the_table_though_the_log_is_on_it_too(tmp_path, capsys):
    log, table = tmp_path / "job.log", tmp_path / "t.csv"
    log.symlink_to("/dev/full")
    (tmp_path / "t.csv.partial").symlink_to("/dev/full")
    with pytest.raises(SystemExit), job.logged(str(log)):
        write_text(table, "text")
    assert capsys.readouterr().err == f"OSError: cannot write {table}: No space left on device\n"


@pytest.mark.slow
def test_a_job_that_fails_says_all(study):
    """The rule, the log with what went wrong, the error in one line, and how to go on."""
    head = "with logged(snakemake.log[0]):\n"
    broken = f"{head}    raise ValueError('no luck')\n"
    with study.edited("workflow/scripts/structures.py", lambda text: text.replace(head, broken)):
        said = study.run("results/structures.csv", status=1)
    assert "ValueError: no luck" in said.splitlines()
    assert "Error in rule structures" in said
    assert "Traceback" in said.partition("Logfile results/logs/structures.log:")[2]
    *_, last = said.splitlines()
    assert "the same command resumes" in last.lower()


@pytest.mark.slow
def test_the_default_profile_is_used_by_itself(study):
    said = study.run("--dry-run", "results/structures.csv")
    assert "profile profiles/default" in said


@pytest.mark.slow
def test_bars_on_a_terminal_show_a_failure_with_its_log(study):
    """The logger that `make` adds there."""
    head = "with logged(snakemake.log[0]):\n"
    broken = f"{head}    raise ValueError('no luck')\n"
    with study.edited("workflow/scripts/structures.py", lambda text: text.replace(head, broken)):
        said = study.run("results/structures.csv", "--logger", "rich", status=1)
    assert "Traceback" in said.partition("results/logs/structures.log")[2]
