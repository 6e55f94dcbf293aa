"""What a whole run leaves behind, besides the numbers of its tables."""

import json
from collections import Counter

import pytest
from fingerprints import of_study
from studies import SMALL, resolved, resolved_smoke

from latentdag import Structure, enumerate_structures
from latentdag.scores import JOBS, METHODS
from lib.figures import OF_SIMULATION

LOGS = "results/logs"


def test_tables_and_pages_are_as_they_were(finished, golden):
    golden("study.csv", of_study(finished.folder))


@pytest.mark.parametrize("name", [figure.name for figure in OF_SIMULATION])
def test_figures_are_there(finished, name):
    path = finished.folder / f"figures/{name}.png"
    png, pdf = path.read_bytes(), path.with_suffix(".pdf").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert pdf.startswith(b"%PDF")
    assert min(len(png), len(pdf)) > 5000


def test_every_job_leaves_a_log_and_a_benchmark(finished):
    rows = finished.plan()
    logs = {row["log-file(s)"] for row in rows}
    assert len(logs) > 20
    for log in logs:
        assert (finished.folder / log).is_file(), log
        benchmark = log.replace("/logs/", "/benchmarks/").removesuffix(".log") + ".tsv"
        lines = (finished.folder / benchmark).read_text(encoding="utf-8").splitlines()
        assert len(lines) == 2, benchmark
        assert lines[0].startswith("s\t"), benchmark
    assert {row["plan"] for row in rows} == {"no update"}


def test_logs_of_scoring_jobs_show_progress(finished):
    for job in (*resolved(SMALL)["methods"], "sandwich", "prior"):
        logs = list((finished.folder / LOGS).glob(f"{job}.*.log"))
        assert logs, job
        assert all("100 % done" in log.read_text(encoding="utf-8") for log in logs), job


def test_the_smoke_study_scores_every_structure_of_the_paper(smoke):
    """The bridge some of them, for the reference's sake."""
    settings = resolved_smoke()
    record = json.loads((smoke.folder / "results/smoke/provenance.json").read_text("utf-8"))
    assert record["config"] == settings
    true = Structure.from_label(settings["true_structure"])
    some = {n: JOBS["bridge"].some(enumerate_structures(), true, n) for n in settings["sizes"]}
    expected = {(n, m): 136 for n in settings["sizes"] for m in METHODS}
    for n in settings["sizes"]:
        expected[n, "exact"] *= n in settings["exact_sizes"]
        expected[n, "bridge"] = len(some[n]) * (n in settings["bridge_sizes"])
    rows = smoke.table("results/smoke/scores.csv")
    assert Counter((int(r["n"]), r["method"]) for r in rows) == Counter(expected)
