"""What a whole run leaves behind: the fingerprints of its tables, figures, logs and times; and a
record, which is enough to run it again, and tells one state of the code from another.
"""

import json
import platform
import re
from collections import Counter
from importlib.metadata import version

import pytest
from fingerprints import of_study
from packaging.utils import canonicalize_name
from studies import SMALL, Study, lines, resolved, tool

from latentdag import Family, Prior, Structure, draw_study, enumerate_structures
from latentdag.report.summary import write_summary
from latentdag.scores.ais import annealing_runs
from latentdag.scores.base import Task
from latentdag.study.design.files import read_cases
from latentdag.study.schema import tables
from lib import record


def test_tables_and_pages_are_as_they_were(finished, golden):
    golden("study.csv", of_study(finished.folder))


def test_the_summary_is_that_of_the_tables(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    config = resolved(SMALL)
    paths = (finished.folder / "results").glob("*.csv")  # more than it reads
    frames = {path.stem: tables.read(path, path.stem) for path in paths}
    page = (finished.folder / "results/summary.md").read_text(encoding="utf-8")
    assert page == write_summary(config | {"n": config["figure_n"]}, **frames)


def test_nothing_is_to_be_done_and_every_job_leaves_a_log_and_a_benchmark(finished):
    (finished.folder / "src/latentdag/inference/slots.py").touch()  # its content counts
    rows = finished.plan()
    assert {row["plan"] for row in rows} == {"no update"}
    logs = {row["log-file(s)"]: row["rule"] for row in rows}
    for log in logs:
        assert (finished.folder / log).is_file()
        benchmark = log.replace("/logs/", "/benchmarks/").removesuffix(".log") + ".tsv"
        assert len((finished.folder / benchmark).read_text(encoding="utf-8").splitlines()) == 2
    assert {*resolved(SMALL)["methods"], "sandwich", "prior"} < {*logs.values()}


def test_times_are_those_of_the_jobs(finished):
    """Each job's under the score whose time the paper states."""
    of_jobs = {
        (row["n"], method): float(row["seconds"])
        for job, method in (("map", "bic"), ("vb", "vb"), ("ais", "ais"))
        for row in finished.table(f"results/draws/0/{job}.1-of-1.seconds.csv")
    }
    rows = finished.table("results/timing.csv")
    seconds = {(row["n"], row["method"]): float(row["seconds"]) for row in rows}
    assert seconds == pytest.approx(of_jobs, abs=0.051)
    assert {row["paper_seconds"] for row in rows} == {""}


def test_another_size_and_how_the_work_is_cut_change_no_value_of_the_reference(finished, study):
    """The second of three parts, on two cores, with a size more: every third structure, as it was
    in one part.
    """
    part = "results/draws/0/reference.2-of-3.csv"
    study.run(part, cores=2, spread=3, sizes=[20, 10, 40], threads=2)
    whole = lines(finished.folder / "results/draws/0/reference.1-of-1.csv")
    new = [line for line in lines(study.folder / part) if line.split(",")[1] != "20"]
    assert len(lines(study.folder / part)) == len(whole) / 2
    assert len(new) == len(whole) / 3 and set(new) < set(whole)
    structures = enumerate_structures(Family((2, 2), (2, 3, 2)))
    structures.sort(key=lambda s: len(s.without_childless().family.hidden))
    labels = {line.split(",")[2] for line in new}
    assert labels == {structure.label for structure in structures[1::3]}


@pytest.mark.slow
def test_annealing_has_the_prior_of_the_scores_and_the_parameters_have_their_own(study):
    """The chain from the true parameters does not depend on the prior but by its moves."""
    name = "results/draws/0/annealing/16.csv"
    study.run(name, methods=["map"], true_alpha=3.0, true_alpha_hidden=0.4)
    s = Structure.from_label(SMALL["true_structure"], Family((2, 2), (2, 3, 2)))
    drawn = draw_study(s, Prior(3.0, 0.4), max(SMALL["sizes"]), SMALL["seed"], 0)
    codes = [[*map(int, row.values())] for row in study.table("results/draws/0/cases.csv")]
    assert codes == drawn.cases.tolist()
    cases = read_cases(study.folder / "results/draws/0/cases.csv", SMALL["annealing"]["n"])
    task = Task([s], cases, Prior(SMALL["alpha"], SMALL["alpha_hidden"]), SMALL["seed"], (0,))
    for start, how in {"prior": (2,), "true": (1, drawn.parameters)}.items():  # 2 chains
        weights = [float(r["log_weight"]) for r in study.table(name) if r["start"] == start]
        assert weights == pytest.approx(annealing_runs(task, 16, *how).tolist(), abs=2e-6)


SOME = (
    "results/structures.csv",
    *(f"results/draws/0/{name}.1-of-1.csv" for name in ("map", "vb", "exact", "reference")),
    "results/draws/0/annealing/16.csv",
)


def record_of(study: Study) -> dict:
    return json.loads((study.folder / "results/provenance.json").read_text(encoding="utf-8"))


@pytest.mark.weekly
def test_the_recorded_settings_give_the_same_bytes(finished, study):
    """In another clone, from the settings in the record and nothing else."""
    config = record_of(finished)["config"]
    (study.folder / "recorded.json").write_text(json.dumps(config), encoding="utf-8")
    options = ("--cores", "2", "--set-scatter", "structures=1", "--configfile", "recorded.json")
    study.call([tool("snakemake"), *SOME, *options])
    for name in SOME:
        assert (study.folder / name).read_bytes() == (finished.folder / name).read_bytes(), name


def test_the_record_names_settings_command_code_versions_and_machine(finished):
    made = record_of(finished)
    assert made["config"] == resolved(SMALL)
    assert made["command"].startswith("snakemake --configfile config.yaml --cores 1")
    assert made["commit"] == finished.git("rev-parse", "HEAD")
    assert made["uncommitted_changes_to_code"] is False
    packages = {canonicalize_name(name): has for name, has in made["packages"].items()}
    # no one asks for llvmlite, but it compiles the reference's loops
    for name in ("numpy", "scipy", "snakemake", "numba", "llvmlite"):
        assert packages[name] == version(name)
    assert made["python"] == platform.python_version()
    assert all(made["machine"].values())


SOURCES = ["Snakefile", "src/latentdag/model/parameters.py", "workflow/config/class/typical.yaml"]
SOURCES += [f"workflow/{name}" for name in ("lib/job.py", "rules/scores.smk", "scripts/score.py")]
SOURCES += ["src/latentdag/report/templates/data.md.j2", "src/latentdag/study/schema/tables.yaml"]


def test_a_changed_source_changes_the_record(finished, monkeypatch):
    monkeypatch.setattr(record, "ROOT", finished.folder)
    hashes = [record_of(finished)["code_sha256"]]
    assert record.code_hash() == hashes[0]
    for source in SOURCES:
        with finished.edited(source):
            hashes.append(record.code_hash())
            assert record.has_uncommitted_changes() is True
    assert len(set(hashes)) == 1 + len(SOURCES)


def test_the_record_has_the_time_of_every_job_by_rule(finished):
    of_jobs = record_of(finished)["jobs"]
    logs = list((finished.folder / "results/logs").glob("*.log"))
    jobs = Counter(path.name.partition(".")[0] for path in logs)
    del jobs["provenance"]  # which has not ended
    assert {rule: of_rule["jobs"] for rule, of_rule in of_jobs.items()} == jobs
    for rule, of_rule in of_jobs.items():
        seconds = [
            re.findall(r"^processor time: ([\d.]+) s$", path.read_text(), re.M)
            for path in logs
            if path.name.partition(".")[0] == rule
        ]
        assert of_rule["processor_seconds"] == pytest.approx(sum(float(t) for (t,) in seconds))
        assert of_rule["processor_seconds"] > 0.05 * of_rule["jobs"]
        assert of_rule["wall_seconds"] > 0
