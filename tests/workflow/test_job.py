"""What a job and a run tell: progress, and one line for a job that fails; with the option `--logger
study` of Snakemake a line when a job starts, one when it ends, and all about a job that fails.
"""

import logging
import re
import sys
import time
from math import isnan
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from studies import tool

import snakemake_logger_plugin_study as plugin
from lib import job
from lib.files import write_text


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


AROUND = 6  # lines of a run that belong to no job


class Screen:
    """What would be on the terminal of a run."""

    def __init__(self, capsys, **settings):
        asked = {"verbose": False, "debug_dag": False, "dryrun": False, "stdout": False}
        self.handler = plugin.LogHandler(SimpleNamespace(**asked | settings), None)
        self.capsys = capsys

    def say(self, event: LogEvent | None = None, words: str | None = None, **extra) -> None:
        record = logging.LogRecord("snakemake", logging.INFO, "", 0, words, (), None)
        vars(record).update(event=event, **extra)
        self.handler.emit(record)

    def start(self, number: int, words: str, log: list[str], output: list[str]) -> None:
        about = {"jobid": number, "rule_msg": words, "rule_name": "rule"}
        self.say(LogEvent.JOB_INFO, "words of Snakemake", **about, log=log, output=output)

    def end(self, number: int, done: int, total: int) -> None:
        self.say(LogEvent.JOB_FINISHED, f"Finished jobid: {number}", job_id=number)
        self.say(LogEvent.PROGRESS, done=done, total=total)

    def lines(self) -> list[str]:
        return self.capsys.readouterr().err.splitlines()


@pytest.fixture
def screen_clock(monkeypatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(plugin.time, "strftime", lambda form: "12:01:07")
    monkeypatch.setattr(plugin.time, "monotonic", lambda: now[0])
    return now


def test_a_job_has_two_lines(capsys, screen_clock):
    screen = Screen(capsys)
    screen.say(LogEvent.WORKFLOW_STARTED, "Workflow has started!")
    screen.say(LogEvent.RUN_INFO, "Job stats:\n...", stats={"ais": 2, "vb": 1, "total": 3})
    screen.say(words="Select jobs to execute...")
    screen.say(LogEvent.JOB_STARTED, "Execute 2 jobs...")
    screen.start(5, "AIS, draw 0, 480 cases", ["results/logs/ais.0.480.1.log"], ["a.csv"])
    screen_clock[0] = 110.0
    screen.start(6, "AIS, draw 0, 80 cases", ["results/logs/ais.0.80.1.log"], ["b.csv"])
    screen_clock[0] = 124.0
    screen.end(5, 1, 3)
    screen_clock[0] = 400.0
    screen.end(6, 2, 3)
    screen.start(7, "The study is complete", [], [])
    screen.end(7, 3, 3)
    assert screen.lines() == [
        "3 jobs to do",
        "12:01:07  start  AIS, draw 0, 480 cases (log: results/logs/ais.0.480.1.log)",
        "12:01:07  start  AIS, draw 0, 80 cases (log: results/logs/ais.0.80.1.log)",
        "12:01:07  done   AIS, draw 0, 480 cases (24 s; 1 of 3 jobs, 33 %)",
        "12:01:07  done   AIS, draw 0, 80 cases (5 min; 2 of 3 jobs, 66 %)",
        "12:01:07  done   The study is complete (0.0 s; 3 of 3 jobs, 100 %)",
    ]


def test_a_failed_job_shows_its_log(capsys, screen_clock, tmp_path):
    log = tmp_path / "job.log"
    log.write_text("Traceback\nValueError: no luck")
    screen = Screen(capsys)
    screen.start(5, "table", [str(log)], ["a.csv"])
    screen_clock[0] = 112.0
    about = {"jobid": 5, "rule_name": "rule", "aux": {"external_jobid": 17}}
    screen.say(LogEvent.JOB_ERROR, "words", **about, log=[str(log), "no such file"])
    assert screen.lines()[1:] == [
        "12:01:07  failed table (rule rule, after 12 s)",
        "    external_jobid: 17",
        f"Logfile {log}:",
        "Traceback",
        "ValueError: no luck",
    ]


@pytest.mark.parametrize("asked", ["verbose", "debug_dag", "dryrun"])
def test_who_asks_for_more_gets_snakemakes_words(capsys, screen_clock, asked):
    screen = Screen(capsys, **{asked: True})
    screen.start(5, "AIS, draw 0", [], ["a.csv"])
    screen.say(words="Select jobs to execute...")
    assert screen.lines() == ["words of Snakemake", "Select jobs to execute..."]


def test_a_study_says_two_lines_for_each_job(finished):
    n_jobs = int(re.search(r"^(\d+) jobs to do$", finished.said, re.MULTILINE)[1])
    assert n_jobs >= 35
    assert len(finished.said.splitlines()) <= 2 * n_jobs + AROUND, finished.said
    at = r"^\d\d:\d\d:\d\d  "
    starts = re.findall(rf"{at}start  .* \(log: results/logs/\S+\.log\)$", finished.said, re.M)
    assert len(starts) == n_jobs - 1  # the target `all` only ends
    numbers = re.findall(rf"{at}done   .* (\d+) of {n_jobs} jobs, \d+ %\)$", finished.said, re.M)
    assert numbers == [str(number) for number in range(1, n_jobs + 1)]


@pytest.mark.slow
def test_a_job_that_fails_says_all(study):
    """The rule, the log with what went wrong, and the error in one line."""
    head = "def main(model, true_structure):\n"
    broken = f"{head}    raise ValueError('no luck')\n"
    with study.edited("workflow/scripts/structures.py", lambda text: text.replace(head, broken)):
        said = study.run("results/structures.csv", "--logger", "study", status=1)
    assert "ValueError: no luck" in said.splitlines()
    assert "failed table structures (rule structures, after " in said
    assert "Traceback" in said.partition("Logfile results/logs/structures.log:")[2]
    assert "CalledProcessError" not in said


BROKEN = "seed: 3\nfamily: {hidden: [2, 2]\nresults: x\n"
NOT_RUN = [
    (["--configfile", "nofile"], "Nothing was run: nofile: there is no such file"),
    (["--configfile", "broken.yaml"], "broken.yaml, line 3: "),
    (["--config", "a.b=1"], "Nothing was run: --config needs KEY=VALUE"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("given", "message"), NOT_RUN)
def test_settings_that_cannot_be_read_are_named_without_a_traceback(study, given, message):
    (study.folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    command = [tool("snakemake"), "--logger", "study", "--cores", "1", *given]
    said = study.call(command, status=1).stderr
    assert message in said and "Traceback" not in said
