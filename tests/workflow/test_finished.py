"""What a whole run leaves behind: the fingerprints of its tables, figures, logs and times."""

import json
from collections import Counter

import pytest
from fingerprints import of_study
from studies import SMALL, lines, resolved, resolved_smoke

from latentdag import Family, Structure, enumerate_structures
from latentdag.report.findings import write_findings
from latentdag.report.summary import write_summary
from latentdag.scores import JOBS, METHODS
from latentdag.study.paper.runs import ONE_DRAW
from latentdag.study.schema import tables
from lib.plan import plan_of

LOGS = "results/logs"


def test_tables_and_pages_are_as_they_were(finished, golden):
    golden("study.csv", of_study(finished.folder))


def test_the_summary_is_that_of_the_tables(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    plan = plan_of(resolved(SMALL))
    paths = (finished.folder / "results").glob("*.csv")  # more than it reads
    found = {path.stem: tables.read(path, path.stem) for path in paths}
    page = (finished.folder / "results/summary.md").read_text(encoding="utf-8")
    told = write_summary(plan.settings_told(), **found)
    assert page.partition("\nSettings: ")[0] == told.partition("\nSettings: ")[0]
    findings = (finished.folder / "results/findings.md").read_text(encoding="utf-8")
    assert findings == write_findings({ONE_DRAW: found})


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


def test_times_are_those_of_the_jobs(finished):
    """Each job's under the score whose time the paper states."""
    found = {
        (row["n"], method): float(row["seconds"])
        for job, method in (("map", "bic"), ("vb", "vb"), ("ais", "ais"))
        for row in finished.table(f"results/draws/0/n10-40/{job}.1.seconds.csv")
    }
    rows = finished.table("results/timing.csv")
    seconds = {(row["n"], row["method"]): float(row["seconds"]) for row in rows}
    assert seconds == pytest.approx(found, abs=0.051)
    assert {row["paper_seconds"] for row in rows} == {""}


def test_another_size_and_how_the_work_is_cut_change_no_value_of_the_reference(finished, study):
    """The second of three parts, on two cores, with a size more: every third structure, as it was
    in one part.
    """
    block = "results/draws/0/n10-40/reference.2.csv"
    study.run(block, cores=2, sizes=[20, 10, 40], reference__jobs=3, threads=2)
    known = lines(finished.folder / "results/draws/0/n10-40/reference.1.csv")
    new = [line for line in lines(study.folder / block) if line.split(",")[1] != "20"]
    assert len(lines(study.folder / block)) == len(known) / 2
    assert len(new) == len(known) / 3 and set(new) < set(known)
    structures = enumerate_structures(Family((2, 2), (2, 3, 2)))
    labels = {line.split(",")[2] for line in new}
    assert labels == {structure.label for structure in structures[1::3]}


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
