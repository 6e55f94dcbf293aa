"""A study that was killed goes on where it stopped, with the same bytes."""

import subprocess
import time
from pathlib import Path

import psutil
import pytest
from studies import LESS, TABLES, Study

pytestmark = pytest.mark.weekly

CUT = LESS | {"spread": 3}  # into as many jobs


def is_of_scores(name: str) -> bool:
    """Whether a file has a job's scores, and not what else it leaves."""
    return Path(name).name.count(".") == 2 and Path(name).name.partition(".")[0] in LESS["methods"]


def scored(study: Study) -> dict[str, int]:
    """Time stamps of the scoring jobs' tables of scores, one per job."""
    return {name: t for name, t in study.times().items() if is_of_scores(name)}


def wait_for_some(study: Study, process: subprocess.Popen, at_least: int) -> None:
    """Until some scoring jobs have ended."""
    deadline = time.monotonic() + 600
    while len(scored(study)) < at_least:
        said = (study.folder / "first.log").read_text()
        assert process.poll() is None, said
        assert time.monotonic() < deadline, said
        time.sleep(0.02)


MAIN = "with logged(snakemake.log[0]):\n"
GATE = """    import time
    from pathlib import Path

    def n_done():
        parts = Path("results").glob("draws/*/*-of-*.csv")
        return sum(path.name.count(".") == 2 and "ais_" not in path.name for path in parts)

    while Path("hold").exists() and n_done() >= {n}:
        time.sleep(0.05)
"""


def hold_after(study: Study, n: int) -> Path:
    """Let jobs wait, once ``n`` have ended, for as long as a file is there; that file."""
    script = study.folder / "workflow/scripts/score.py"
    text = script.read_text(encoding="utf-8")
    assert text.count(MAIN) == 1
    text = text.replace(MAIN, MAIN + GATE.format(n=n))
    script.write_text(text, encoding="utf-8")
    hold = study.folder / "hold"
    hold.touch()
    return hold


def assert_the_rest_was_done(study: Study, before: dict, n_jobs: int, running: int) -> None:
    """And again what was ``running``, and nothing else; ``before`` are the time stamps by then."""
    after = scored(study)
    assert len(before) < n_jobs - running and len(after) == n_jobs
    assert sum(after[name] != t for name, t in before.items()) <= running
    assert not list(study.folder.rglob("*.partial*"))


# the run to compare with was made on one core, by one thread, in one part, without interruption


def test_a_study_that_was_killed_goes_on_with_the_same_bytes(finished, tmp_path):
    """kill -9 of snakemake alone, as when memory runs out: its jobs know nothing of it and end by
    themselves. In three parts, on two cores. Its lock stays, and Snakemake says how
    it is removed.

    What jobs leave that are killed while they write a table is put there by hand: that is seldom
    met.
    """
    study, settings = Study(tmp_path / "study"), CUT | {"cores": 2}
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
    parts = {f"results/draws/0/ais.{k}-of-3.csv" for k in (1, 2, 3)}
    for table in parts - set(before):
        partial = study.folder / f"{table}.partial"
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text("draw,n,structure,meth")
    assert "--unlock" in study.run(*TABLES, status=1, **settings)
    study.run("--unlock", **settings)
    study.run(*TABLES, **settings)
    assert len(before) >= 4
    assert_the_rest_was_done(study, before, 3 * len(LESS["methods"]), running=2)
    assert all((study.folder / table).is_file() for table in parts)
    assert study.of_less() == finished.of_less()
