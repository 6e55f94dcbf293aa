"""The record of a run is enough to run it again, and tells one state of the code from another."""

import json
import platform
import re
import subprocess
import sys
from collections import Counter
from datetime import datetime
from importlib.metadata import version

import pytest
from declared import asked_for
from packaging.utils import canonicalize_name
from studies import SMALL, Study, resolved, tool

from lib import record

pytestmark = pytest.mark.slow

RECORD = "results/provenance.json"
SOME = (
    "results/structures.csv",
    *(f"results/draws/0/n10-40/{name}.1.csv" for name in ("map", "vb", "exact", "reference")),
    "results/draws/0/annealing/16.csv",
)


def record_of(study: Study, path: str = RECORD) -> dict:
    return json.loads((study.folder / path).read_text(encoding="utf-8"))


def of_code(study: Study) -> list:
    """The hash of a study's code now, and whether git knows of changes."""
    words = "from lib.record import *; print(repr([code_hash(), has_uncommitted_changes()]))"
    command = [sys.executable, "-c", words]
    environment = {"PYTHONPATH": f"{study.folder}/src:{study.folder}/workflow"}
    result = subprocess.run(
        command, env=study.environment() | environment, capture_output=True, text=True, check=True
    )
    return eval(result.stdout)


def test_the_recorded_settings_give_the_same_bytes(finished, study):
    """In another clone, from the settings in the record and nothing else."""
    config = record_of(finished)["config"]
    assert config == resolved(SMALL)
    (study.folder / "recorded.json").write_text(json.dumps(config), encoding="utf-8")
    study.call([tool("snakemake"), "--cores", "2", *SOME, "--configfile", "recorded.json"])
    for name in SOME:
        assert (study.folder / name).read_bytes() == (finished.folder / name).read_bytes(), name


def test_the_record_names_command_code_versions_and_machine(finished):
    found = record_of(finished)
    assert found["command"].startswith("snakemake --cores 1 --configfile config.yaml ")
    assert found["commit"] == finished.git("rev-parse", "HEAD")
    assert found["uncommitted_changes_to_code"] is False
    assert found["code_sha256"] == of_code(finished)[0]
    packages = {canonicalize_name(name): has for name, has in found["packages"].items()}
    for requirement in asked_for():
        assert packages[canonicalize_name(requirement.name)] == version(requirement.name)
    # no one asks for it, but it compiles the reference's loops
    assert packages["llvmlite"] == version("llvmlite")
    assert found["python"] == platform.python_version()
    assert all(found["machine"].values())


SOURCES = [
    "src/latentdag/model/parameters.py",
    "workflow/lib/job.py",
    "workflow/rules/jobs.smk",
    "Snakefile",
]


@pytest.mark.parametrize("source", SOURCES)
def test_a_changed_source_changes_the_record(finished, source):
    before = [record_of(finished)["code_sha256"], False]
    assert of_code(finished) == before
    with finished.edited(source):
        found, changed = of_code(finished)
        assert re.fullmatch("[0-9a-f]{64}", found)
        assert found != before[0]
        assert changed is True
    assert of_code(finished) == before


def test_a_folder_without_the_code_has_no_hash(tmp_path):
    with pytest.raises(FileNotFoundError, match="Snakefile"):
        record.code_hash(tmp_path)
    (tmp_path / "Snakefile").touch()
    with pytest.raises(FileNotFoundError, match=r"workflow/\*\*/\*\.smk"):
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
    assert start < min(t for t, p in zip(written, made, strict=True) if p.name != ".started")
    assert max(written) < path.stat().st_mtime
    assert abs(path.stat().st_mtime - end) < 5
