"""The record of a run is enough to run it again."""

import json
import platform
import re
from datetime import datetime
from importlib.metadata import version

import pytest
from packaging.utils import canonicalize_name
from studies import TABLES, Study, tool
from test_style import asked_for

RECORD = "results/provenance.json"


def record_of(study: Study) -> dict:
    return json.loads((study.folder / RECORD).read_text(encoding="utf-8"))


def git(study: Study, *arguments: str) -> str:
    return study.call(["git", *arguments]).stdout.strip()


@pytest.fixture(scope="module")
def again(finished, tmp_path_factory) -> Study:
    """The small study in a repository, from the settings in the finished one's record, and nothing
    else of it.
    """
    study = Study(tmp_path_factory.mktemp("again"))
    git(study, "init", "--quiet")
    git(study, "add", "Snakefile", "workflow", "src")
    git(
        study,
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "commit",
        "--quiet",
        "--message",
        "the code",
    )
    (study.folder / "recorded.json").write_text(
        json.dumps(record_of(finished)["config"]), encoding="utf-8"
    )
    study.call(
        [tool("snakemake"), "--cores", "2", *TABLES, RECORD, "--configfile", "recorded.json"]
    )
    return study


def test_the_recorded_settings_give_the_same_bytes(finished, again):
    assert again.bytes_of() == finished.bytes_of()
    for key in ("config", "code_sha256", "packages", "python", "machine"):
        assert record_of(again)[key] == record_of(finished)[key], key
    assert record_of(finished)["commit"] is None  # outside a repository


def test_the_record_names_command_code_versions_and_machine(again):
    record = record_of(again)
    assert (
        record["command"]
        == f"snakemake --cores 2 {' '.join(TABLES)} {RECORD} --configfile recorded.json"
    )
    assert record["commit"] == git(again, "rev-parse", "HEAD")
    assert record["uncommitted_changes_to_code"] is False
    assert re.fullmatch("[0-9a-f]{64}", record["code_sha256"])
    packages = {canonicalize_name(name): found for name, found in record["packages"].items()}
    for requirement in asked_for():
        assert packages[canonicalize_name(requirement.name)] == version(requirement.name)
    assert packages["llvmlite"] == version(
        "llvmlite"
    )  # no one asks for it, but it compiles the reference's loops
    assert record["python"] == platform.python_version()
    assert all(record["machine"].values())


def test_the_record_spans_all_jobs(again):
    start, end = (
        datetime.fromisoformat(record_of(again)[key]).timestamp() for key in ("start", "end")
    )
    written = [path.stat().st_mtime for path in (again.folder / "results/draws").rglob("*.csv")]
    assert start < min(written) and max(written) < end + 1
