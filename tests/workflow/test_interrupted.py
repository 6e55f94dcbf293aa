"""A study that was killed goes on where it stopped, with the same bytes, and one that runs is left
alone.
"""

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from studies import LESS, SMALL, TABLES, Study

pytestmark = pytest.mark.weekly

CUT = LESS | {"blocks": 3, "ais__jobs": 3, "sizes_per_job": 1}  # into as many jobs


@dataclass
class Resumed:
    """A study that was ended in the middle of its scores and run again: time stamps of what each
    scoring job had written.
    """

    study: Study
    before: dict[str, int]
    after: dict[str, int]
    n_jobs: int
    second: str = ""  # what another snakemake printed while the first was at work


def scored(study: Study) -> dict[str, int]:
    """Time stamps of the scoring jobs' tables of scores, one per job."""
    return {name: t for name, t in study.times().items() if Path(name).name.count(".") == 2}


def n_jobs(blocks: int, size_by_size: bool) -> int:
    at_all_sizes = len(LESS["methods"]) - 1
    groups = len(SMALL["sizes"]) if size_by_size else 1
    return blocks * (groups * at_all_sizes + 1)  # exact has one size


def wait_for_some(study: Study, process: subprocess.Popen, at_least: int) -> None:
    """Until some scoring jobs have ended."""
    deadline = time.monotonic() + 600
    while len(scored(study)) < at_least:
        said = (study.folder / "first.log").read_text()
        assert process.poll() is None, said
        assert time.monotonic() < deadline, said
        time.sleep(0.02)


GATE = """def main(snakemake):
    import time
    from pathlib import Path

    def n_done():
        parts = Path("results").glob("draws/*/n*/*.csv")
        return sum(len(path.name.split(".")) == 3 for path in parts)

    while Path("hold").exists() and n_done() >= {n}:
        time.sleep(0.05)
"""


def hold_after(study: Study, n: int) -> Path:
    """Let jobs of the copy wait, once ``n`` have ended, for as long as a file is there; that
    file.
    """
    script = study.folder / "workflow/scripts/score.py"
    text = script.read_text(encoding="utf-8")
    assert text.count("def main(snakemake):\n") == 1
    text = text.replace("def main(snakemake):\n", GATE.format(n=n))
    script.write_text(text, encoding="utf-8")
    hold = study.folder / "hold"
    hold.touch()
    return hold


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Resumed:
    """kill -9 of snakemake alone, as when memory runs out: its jobs know nothing of it and end by
    themselves.

    What jobs leave that are killed while they write a table is put there by hand: that is seldom
    met.
    """
    study, settings = Study(tmp_path_factory.mktemp("killed")), CUT | {"cores": 2}
    hold = hold_after(study, 4)
    process = study.start(*TABLES, **settings)
    try:
        wait_for_some(study, process, 4)
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        before = scored(study)
    finally:
        process.kill()
        hold.unlink()
    for child in psutil.wait_procs(children, timeout=120)[1]:
        child.kill()
    for table in {
        f"results/draws/0/n{n}/ais.{block}.csv" for n in SMALL["sizes"] for block in (1, 2, 3)
    } - set(before):
        partial = study.folder / f"{table}.partial"
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text("draw,n,structure,meth")
    study.run(*TABLES, **settings)
    return Resumed(study, before, scored(study), n_jobs(3, size_by_size=True))


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory) -> Resumed:
    """Ctrl-C in the terminal, which reaches snakemake and its jobs; before that, a second start in
    the same folder.
    """
    study, settings = (
        Study(tmp_path_factory.mktemp("interrupted")),
        LESS | {"cores": 2, "threads": 2},
    )
    hold = hold_after(study, 2)
    process = study.start(*TABLES, **settings)
    try:
        wait_for_some(study, process, 2)
        second = study.run("results/scores.csv", status=1, timeout=120, **settings)
        before = scored(study)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(120) != 0
    finally:
        process.kill()
        hold.unlink()
    study.run(*TABLES, **settings)
    return Resumed(study, before, scored(study), n_jobs(1, size_by_size=False), second)


def test_killed_study_goes_on(killed):
    assert 4 <= len(killed.before) < killed.n_jobs - 2
    assert len(killed.after) == killed.n_jobs
    # the two jobs that were running are done again, and nothing else
    assert sum(killed.after[name] != t for name, t in killed.before.items()) <= 2
    assert not list(killed.study.folder.rglob("*.partial*"))


def test_interrupted_study_goes_on(interrupted):
    assert 2 <= len(interrupted.before) < interrupted.n_jobs
    assert len(interrupted.after) == interrupted.n_jobs
    assert sum(interrupted.after[name] != t for name, t in interrupted.before.items()) <= 1
    assert not list(interrupted.study.folder.rglob("*.partial*"))


def test_a_study_that_runs_is_left_alone(interrupted):
    assert "lock" in interrupted.second.lower()
    assert "Traceback" not in interrupted.second


# the runs to compare with were made on one core, by one thread, in one block and one job for all
# sizes, without interruption


def test_same_bytes_size_by_size_in_three_blocks_on_two_cores_after_a_kill(finished, killed):
    assert len(list(killed.study.folder.glob("results/draws/0/n10/ais.?.csv"))) == 3
    assert killed.study.of_less() == finished.of_less()


def test_same_bytes_by_two_threads_after_an_interruption(finished, interrupted):
    assert interrupted.study.of_less() == finished.of_less()


@pytest.mark.parametrize("n", [20, 80])
def test_one_more_size_runs_that_size(killed, n):
    """Where each size has jobs of its own."""
    pending = killed.study.pending(**CUT, sizes=[40, 10, n])
    for rule in {"draw", *LESS["methods"]} - {"exact"}:
        assert {name.split("/")[3] for name in pending[rule]} == {f"n{n}"}
    assert not {"exact", "anneal", "structures"} & set(pending)
