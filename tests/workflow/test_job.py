"""A job that fails says so with its log and how to go on; its log ends with its processor time."""

import time

import pytest

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
