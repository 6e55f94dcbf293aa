"""A study that was killed goes on where it stopped, with the same bytes."""

import subprocess
import time

import pandas as pd
import psutil
import pytest
from studies import LEFT_OUT, LESS, Study

pytestmark = pytest.mark.weekly

NAMES = ("scores", "ranks", "annealing", "ais_chains", "ais_acceptance", "structures")
TABLES = [f"results/{name}.csv" for name in NAMES]
SETTINGS = LESS | {"spread": 3, "cores": 2}  # the finished study has one part and one core
N_JOBS = 3 * len(LESS["methods"])
MAIN = "with logged(snakemake.log[0]):\n"
# jobs wait, once four have ended, for as long as a file is there
GATE = """    import time
    from pathlib import Path

    def n_done():
        parts = Path("results").glob("draws/*/*-of-*.csv")
        return sum(path.name.count(".") == 2 and "ais_" not in path.name for path in parts)

    while Path("hold").exists() and n_done() >= 4:
        time.sleep(0.05)
"""


def scored(study: Study) -> dict[str, int]:
    """Time stamps of the scoring jobs' tables of scores, one per job."""
    return {
        path.name: path.stat().st_mtime_ns
        for path in study.folder.glob("results/draws/*/*-of-*.csv")
        if path.name.count(".") == 2 and path.name.partition(".")[0] in LESS["methods"]
    }


def wait_for_some(study: Study, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 600
    while len(scored(study)) < 4:
        log = (study.folder / "first.log").read_text()
        assert process.poll() is None and time.monotonic() < deadline, log
        time.sleep(0.02)


def table(study: Study, path: str) -> pd.DataFrame:
    """A table as it is written, without the rows of what LESS leaves out."""
    frame = pd.read_csv(study.folder / path, dtype=str, keep_default_na=False)
    return frame[~frame.get("method", frame.iloc[:, 0]).isin(LEFT_OUT)].reset_index(drop=True)


def test_a_study_that_was_killed_goes_on_with_the_same_bytes(finished, study):
    """kill -9 of snakemake alone, as when memory runs out: its jobs know nothing of it and end by
    themselves. Its lock stays, and Snakemake says how it is removed.

    What jobs leave that are killed while they write a table is put there by hand: that is seldom
    met.
    """
    script, hold = (study.folder / name for name in ("workflow/scripts/score.py", "hold"))
    text = script.read_text(encoding="utf-8")
    assert text.count(MAIN) == 1
    script.write_text(text.replace(MAIN, MAIN + GATE), encoding="utf-8")
    hold.touch()
    with (study.folder / "first.log").open("w") as log:
        at = {"cwd": study.folder, "env": study.environment(), "stdout": log, "stderr": log}
        process = subprocess.Popen(study.command(*TABLES, **SETTINGS), **at)
    try:
        wait_for_some(study, process)
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        before = scored(study)
    finally:
        process.kill()
        hold.unlink()
    for child in psutil.wait_procs(children, timeout=120)[1]:
        child.kill()
    parts = [f"ais.{k}-of-3.csv" for k in (1, 2, 3)]
    for name in set(parts) - set(before):
        partial = study.folder / f"results/draws/0/{name}.partial"
        partial.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text("draw,n,structure,meth")
    assert "--unlock" in study.run(*TABLES, status=1, **SETTINGS)
    study.run("--unlock", **SETTINGS)
    study.run(*TABLES, **SETTINGS)
    after = scored(study)
    assert 4 <= len(before) < N_JOBS - 2 and len(after) == N_JOBS
    # what was running is done again, and nothing else
    assert sum(after[name] != time_stamp for name, time_stamp in before.items()) <= 2
    assert not list(study.folder.rglob("*.partial*"))
    for path in TABLES:
        pd.testing.assert_frame_equal(table(study, path), table(finished, path))
