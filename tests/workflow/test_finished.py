"""What a whole run leaves behind: the fingerprints of its tables, figures, logs and times; and a
record, which is enough to run it again, and tells one state of the code from another.
"""

import json
import platform
import re
import sys
from collections import Counter
from datetime import datetime
from importlib.metadata import version

import pytest
from fingerprints import of_study
from packaging.utils import canonicalize_name
from studies import SMALL, Study, lines, printed, resolved, resolved_smoke, tool

from latentdag import Family, Structure, enumerate_structures
from latentdag.report.summary import write_summary
from latentdag.scores import JOBS, METHODS
from latentdag.study.schema import tables
from lib import record

LOGS = "results/logs"


def test_tables_and_pages_are_as_they_were(finished, golden):
    golden("study.csv", of_study(finished.folder))


def test_the_summary_is_that_of_the_tables(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    config = resolved(SMALL)
    paths = (finished.folder / "results").glob("*.csv")  # more than it reads
    found = {path.stem: tables.read(path, path.stem) for path in paths}
    page = (finished.folder / "results/summary.md").read_text(encoding="utf-8")
    told = write_summary(config | {"n": config["figure_n"]}, **found)
    assert page == told


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
        logs = list((finished.folder / LOGS).glob(f"{job}.*log"))
        assert logs, job
        assert all("100 % done" in log.read_text(encoding="utf-8") for log in logs), job


def test_times_are_those_of_the_jobs(finished):
    """Each job's under the score whose time the paper states."""
    found = {
        (row["n"], method): float(row["seconds"])
        for job, method in (("map", "bic"), ("vb", "vb"), ("ais", "ais"))
        for row in finished.table(f"results/draws/0/{job}.1-of-1.seconds.csv")
    }
    rows = finished.table("results/timing.csv")
    seconds = {(row["n"], row["method"]): float(row["seconds"]) for row in rows}
    assert seconds == pytest.approx(found, abs=0.051)
    assert {row["paper_seconds"] for row in rows} == {""}


def test_another_size_and_how_the_work_is_cut_change_no_value_of_the_reference(finished, study):
    """The second of three parts, on two cores, with a size more: every third structure, as it was
    in one part.
    """
    part = "results/draws/0/reference.2-of-3.csv"
    study.run(part, cores=2, spread=3, sizes=[20, 10, 40], threads=2)
    known = lines(finished.folder / "results/draws/0/reference.1-of-1.csv")
    new = [line for line in lines(study.folder / part) if line.split(",")[1] != "20"]
    assert len(lines(study.folder / part)) == len(known) / 2
    assert len(new) == len(known) / 3 and set(new) < set(known)
    structures = enumerate_structures(Family((2, 2), (2, 3, 2)))
    structures.sort(key=lambda s: len(s.without_childless().family.hidden))
    labels = {line.split(",")[2] for line in new}
    assert labels == {structure.label for structure in structures[1::3]}


def test_the_smoke_study_scores_every_structure_of_the_paper(smoke):
    """Tempered SMC some of them, for the reference's sake."""
    settings = resolved_smoke()
    record = json.loads((smoke.folder / "results/smoke/provenance.json").read_text("utf-8"))
    assert record["config"] == settings
    true = Structure.from_label(settings["true_structure"])
    some = {
        n: JOBS["tempered_smc"].some(enumerate_structures(), true, n) for n in settings["sizes"]
    }
    expected = {(n, m): 136 for n in settings["sizes"] for m in METHODS}
    for n in settings["sizes"]:
        for job in ("exact", "ais_long", "ais_rows"):
            expected[n, job] *= n in settings[JOBS[job].sizes_key]
        expected[n, "tempered_smc"] = len(some[n]) * (n in settings["tempered_smc_sizes"])
    rows = smoke.table("results/smoke/scores.csv")
    assert Counter((int(r["n"]), r["method"]) for r in rows) == Counter(expected)


RECORD = "results/provenance.json"
SOME = (
    "results/structures.csv",
    *(f"results/draws/0/{name}.1-of-1.csv" for name in ("map", "vb", "exact", "reference")),
    "results/draws/0/annealing/16.csv",
)


def record_of(study: Study, path: str = RECORD) -> dict:
    return json.loads((study.folder / path).read_text(encoding="utf-8"))


def of_code(study: Study) -> list:
    """The hash of a study's code now, and whether git knows of changes."""
    words = "from lib.record import *; print(repr([code_hash(), has_uncommitted_changes()]))"
    here = {"PYTHONPATH": f"{study.folder}/src:{study.folder}/workflow"}
    return eval(printed(sys.executable, "-c", words, env=study.environment() | here))


@pytest.mark.weekly
def test_the_recorded_settings_give_the_same_bytes(finished, study):
    """In another clone, from the settings in the record and nothing else."""
    config = record_of(finished)["config"]
    (study.folder / "recorded.json").write_text(json.dumps(config), encoding="utf-8")
    given = ("--cores", "2", "--set-scatter", "structures=1", "--configfile", "recorded.json")
    study.call([tool("snakemake"), *SOME, *given])
    for name in SOME:
        assert (study.folder / name).read_bytes() == (finished.folder / name).read_bytes(), name


def test_the_record_names_settings_command_code_versions_and_machine(finished):
    found = record_of(finished)
    assert found["config"] == resolved(SMALL)
    assert found["command"].startswith("snakemake --configfile config.yaml --cores 1")
    assert found["commit"] == finished.git("rev-parse", "HEAD")
    assert found["uncommitted_changes_to_code"] is False
    assert found["code_sha256"] == of_code(finished)[0]
    packages = {canonicalize_name(name): has for name, has in found["packages"].items()}
    for name in ("numpy", "scipy", "snakemake", "numba"):
        assert packages[name] == version(name)
    # no one asks for it, but it compiles the reference's loops
    assert packages["llvmlite"] == version("llvmlite")
    assert found["python"] == platform.python_version()
    assert all(found["machine"].values())


SOURCES = ["src/latentdag/model/parameters.py", "workflow/lib/job.py", "workflow/rules/scores.smk"]


@pytest.mark.parametrize("source", SOURCES)
def test_a_changed_source_changes_the_record(finished, source):
    before = record_of(finished)["code_sha256"]
    with finished.edited(source):
        found, changed = of_code(finished)
    assert re.fullmatch("[0-9a-f]{64}", found) and found != before
    assert changed is True


@pytest.mark.slow
def test_a_folder_without_the_code_has_no_hash(tmp_path):
    with pytest.raises(FileNotFoundError, match="Snakefile"):
        record.code_hash(tmp_path)
    (tmp_path / "Snakefile").touch()
    with pytest.raises(FileNotFoundError, match=r"workflow/rules/\*\.smk"):
        record.code_hash(tmp_path)


def test_the_record_has_the_time_of_every_job_by_rule(finished):
    found = record_of(finished)["jobs"]
    logs = [path for path in (finished.folder / "results/logs").glob("*.log")]
    jobs = Counter(path.name.partition(".")[0] for path in logs)
    del jobs["provenance"], jobs["article"]  # the record's own job has not ended
    assert {rule: of_rule["jobs"] for rule, of_rule in found.items()} == jobs
    for rule, of_rule in found.items():
        told = [
            re.findall(r"^processor time: ([\d.]+) s$", path.read_text(), re.M)
            for path in logs
            if path.name.partition(".")[0] == rule
        ]
        assert of_rule["processor_seconds"] == pytest.approx(sum(float(t) for (t,) in told))
        assert of_rule["processor_seconds"] > 0.05 * of_rule["jobs"]
        assert of_rule["wall_seconds"] > 0


def test_the_record_spans_all_jobs(finished):
    """It is the last of them but for the article, which quotes it."""
    path = finished.folder / RECORD
    start, end = (
        datetime.fromisoformat(record_of(finished)[key]).timestamp() for key in ("start", "end")
    )
    made = [p for folder in ("draws", "figures") for p in (finished.folder / folder).rglob("*.*")]
    made += (finished.folder / "results").glob("*.*")
    made = [p for p in made if p != path and p.name != "article.pdf"]
    made += list((finished.folder / "results/draws").rglob("*.csv"))
    written = [p.stat().st_mtime for p in made]
    assert len(written) > 50
    assert start < min(written)
    assert max(written) < path.stat().st_mtime
    assert abs(path.stat().st_mtime - end) < 5
