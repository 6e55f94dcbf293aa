"""What a run says on the terminal: a line when a job starts, one when it ends, all if it fails."""

import logging
import re
from io import StringIO
from types import SimpleNamespace

import pytest
from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter, LogEvent
from snakemake.settings.enums import Quietness
from studies import SMOKE, tool

from lib import terminal

AROUND = 6  # lines of a run that belong to no job
OUTPUT = SimpleNamespace(verbose=False, debug_dag=False, dryrun=False, quiet=None)


@pytest.fixture
def screen(monkeypatch) -> StringIO:
    """What would be on the terminal of a run, its logger like Snakemake's."""
    stream = StringIO()
    logger = logging.Logger("snakemake")
    handler = ColorizingTextHandler(stream=stream, formatter=DefaultFormatter())
    handler.addFilter(DefaultFilter(None, False, False, False, False))
    logger.addHandler(handler)
    monkeypatch.setattr(terminal, "logger", logger)
    monkeypatch.setattr(terminal.time, "strftime", lambda form: "12:01:07")
    return stream


def say(event: LogEvent | None = None, words: str | None = None, **extra) -> None:
    terminal.logger.info(words, extra={"event": event, **extra})


def start(number: int, words: str, log: list[str], output: list[str]) -> None:
    about = {"jobid": number, "rule_msg": words, "rule_name": "rule", "log": log, "output": output}
    say(LogEvent.JOB_INFO, **about, reason="Missing output files", indent=False)


def end(number: int, done: int, total: int) -> None:
    say(LogEvent.JOB_FINISHED, f"Finished jobid: {number}", job_id=number)
    say(LogEvent.PROGRESS, done=done, total=total)


def test_a_job_has_two_lines(screen, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: clock[0])
    terminal.one_line_per_job(OUTPUT)
    say(LogEvent.WORKFLOW_STARTED, "Workflow has started!")
    say(LogEvent.RUN_INFO, "Job stats:\n...", stats={"ais": 2, "vb": 1, "total": 3})
    say(words="Select jobs to execute...")
    say(LogEvent.JOB_STARTED, "Execute 2 jobs...")
    start(5, "AIS, draw 0, 480 cases", ["results/logs/ais.0.480.1.log"], ["a.csv"])
    clock[0] = 110.0
    start(6, "AIS, draw 0, 80 cases", ["results/logs/ais.0.80.1.log"], ["b.csv"])
    clock[0] = 124.0
    end(5, 1, 3)
    clock[0] = 400.0
    end(6, 2, 3)
    start(7, "The study is complete", [], [])
    end(7, 3, 3)
    assert screen.getvalue().splitlines() == [
        "3 jobs to do",
        "12:01:07  start  AIS, draw 0, 480 cases (log: results/logs/ais.0.480.1.log)",
        "12:01:07  start  AIS, draw 0, 80 cases (log: results/logs/ais.0.80.1.log)",
        "12:01:07  done   AIS, draw 0, 480 cases (24 s; 1 of 3 jobs, 33 %)",
        "12:01:07  done   AIS, draw 0, 80 cases (5 min; 2 of 3 jobs, 66 %)",
        "12:01:07  done   The study is complete (0.0 s; 3 of 3 jobs, 100 %)",
    ]


def test_jobs_of_a_group_end_together(screen):
    terminal.one_line_per_job(OUTPUT)
    for number in (1, 2):
        start(number, f"job {number}", [], ["file"])
    for number in (1, 2):
        say(LogEvent.JOB_FINISHED, job_id=number)
    say(LogEvent.PROGRESS, done=7, total=10)
    ends = [line for line in screen.getvalue().splitlines() if "done" in line]
    assert [line.partition("; ")[2] for line in ends] == [
        "6 of 10 jobs, 60 %)",
        "7 of 10 jobs, 70 %)",
    ]


@pytest.mark.parametrize("asked", ["verbose", "debug_dag", "dryrun"])
def test_who_asks_for_more_gets_all(screen, asked):
    terminal.one_line_per_job(SimpleNamespace(**vars(OUTPUT) | {asked: True}))
    start(5, "AIS, draw 0", [], ["a.csv"])
    assert "Reason: Missing output files" in screen.getvalue()


def test_who_wants_no_word_on_jobs_gets_none(screen):
    (handler,) = terminal.logger.handlers
    handler.filters[:] = [DefaultFilter({Quietness.RULES}, False, False, False, False)]
    terminal.one_line_per_job(SimpleNamespace(**vars(OUTPUT) | {"quiet": {Quietness.RULES}}))
    start(5, "AIS, draw 0", [], ["a.csv"])
    end(5, 1, 3)
    assert screen.getvalue() == ""


def test_warnings_and_errors_are_said(screen):
    terminal.one_line_per_job(OUTPUT)
    terminal.logger.warning("a warning")
    terminal.logger.error("an error")
    assert screen.getvalue() == "a warning\nan error\n"


def test_the_smoke_study_says_two_lines_for_each_job(smoke):
    """Run by plain ``snakemake --cores 2``."""
    lines = smoke.said.splitlines()
    n_jobs = int(re.search(r"^(\d+) jobs to do$", smoke.said, re.MULTILINE)[1])
    assert n_jobs >= 35
    assert len(lines) <= 2 * n_jobs + AROUND, smoke.said
    assert all(len(line) <= 130 for line in lines if not line.startswith("Complete log"))
    starts = [line for line in lines if re.match(r"\d\d:\d\d:\d\d  start  ", line)]
    ends = [line for line in lines if re.match(r"\d\d:\d\d:\d\d  done   ", line)]
    assert len(starts) == n_jobs - 1  # the target `all` only ends
    assert len(ends) == n_jobs
    assert all(re.search(r" \(log: results/smoke/logs/\S+\.log\)$", line) for line in starts)
    numbers = [int(re.search(rf"(\d+) of {n_jobs} jobs, ", line)[1]) for line in ends]
    assert numbers == list(range(1, n_jobs + 1))
    assert ends[-1].endswith(f"{n_jobs} of {n_jobs} jobs, 100 %)")
    assert any(
        "annealed importance sampling, draw 0, 10-480 cases, part 1 of 2 (" in line for line in ends
    )


def test_snakemakes_own_log_has_the_reasons(smoke):
    path = min((smoke.folder / ".snakemake/log").glob("*.log"))  # of the first run
    assert path.read_text(encoding="utf-8").count("Reason: ") >= 35


def test_a_dry_run_says_what_would_run_and_why(smoke):
    said = smoke.call([tool("snakemake"), *SMOKE, "--dry-run", "--forcerun", "vb"]).stdout
    assert re.search(r"^vb +1$", said, re.MULTILINE)
    assert "Reason: Forced execution" in said


def test_a_job_that_fails_says_all(study):
    """The rule, the log with what went wrong, and the error in one line."""
    head = "def main(snakemake):\n"
    broken = f"{head}    raise ValueError('no luck')\n"
    with study.edited("workflow/scripts/structures.py", lambda text: text.replace(head, broken)):
        said = study.run("results/structures.csv", status=1)
    assert "ValueError: no luck" in said.splitlines()
    assert "failed table structures (rule structures, after " in said
    assert "Traceback" in said.partition("Logfile results/logs/structures.log:")[2]
    assert "CalledProcessError" not in said
