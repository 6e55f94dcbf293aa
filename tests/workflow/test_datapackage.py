"""The data package of a study: others can load its tables without reading us."""

import json
import shutil
from pathlib import Path

import pytest
from frictionless import Package, system
from studies import ROOT

from latentdag.study.schema import tables
from latentdag.study.schema.columns import TABLES, Kind
from latentdag.study.schema.datapackage import datapackage
from lib.plan import LARGE

COMMITTED = sorted(
    str(path.parent.relative_to(ROOT)) for path in ROOT.glob("results/**/summary.md")
    if path.parent.name != "smoke" and "draws" not in path.parent.parts
)  # fmt: skip


def problems(folder: Path) -> list[str]:
    """What frictionless finds wrong with the package in a folder."""
    with system.use_context(trusted=True):
        report = Package(str(folder / "datapackage.json")).validate()
    return [f"{path}: {note}" for path, note in report.flatten(["path", "note"])]


def test_the_smoke_studys_package_is_valid(smoke):
    folder = smoke.folder / "results/smoke"
    assert problems(folder) == []
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    listed = {resource["path"] for resource in package["resources"]}
    assert listed == {path.name for path in folder.glob("*.csv")}


def test_a_wrong_table_is_found(smoke, tmp_path):
    """A word in a column of numbers, and a column more."""
    wrong = tmp_path / "results"
    shutil.copytree(smoke.folder / "results/smoke", wrong, ignore=shutil.ignore_patterns("draws"))
    path = wrong / "ranks.csv"
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    cells = lines[0].split(",")
    cells[header.split(",").index("score_true")] = "many"
    path.write_text("\n".join([header, ",".join(cells), *lines[1:]]), encoding="utf-8")
    structures = wrong / "structures.csv"
    rows = structures.read_text(encoding="utf-8").splitlines()
    structures.write_text("\n".join(f"{row},1" for row in rows), encoding="utf-8")
    found = {problem.partition(":")[0] for problem in problems(wrong)}
    assert found == {"ranks.csv", "structures.csv"}


@pytest.mark.parametrize("results", COMMITTED)
def test_the_committed_packages_are_valid(committed, results):
    folder = committed.parent / results
    assert problems(folder) == []
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    listed = {resource["path"] for resource in package["resources"]}
    assert listed == {path.name for path in folder.glob("*.csv")}
    assert not {resource["name"] for resource in package["resources"]} & set(LARGE)


def test_columns_have_types_units_and_meanings():
    package = datapackage({"scores": "s.csv", "posterior": "p.csv"}, "A title", of_own_data=False)
    scores, posterior = package["resources"]
    assert package["title"] == "A title" and package["licenses"][0]["name"] == "MIT"
    assert (scores["name"], scores["path"]) == ("scores", "s.csv")
    fields = {field["name"]: field for field in scores["schema"]["fields"]}
    assert list(fields) == list(TABLES["scores"].columns)
    assert fields["score"]["unit"] == "nats" and fields["score"]["type"] == "number"
    assert fields["n"]["constraints"] == {"required": True}
    assert "constraints" not in fields["restarts"] and fields["restarts"]["type"] == "integer"
    assert fields["converged"]["type"] == "boolean" and fields["structure"]["type"] == "string"
    names = [field["name"] for field in posterior["schema"]["fields"]]
    assert "prior" not in names
    (own,) = datapackage({"posterior": "p.csv"}, "", of_own_data=True)["resources"]
    assert [field["name"] for field in own["schema"]["fields"]] == [*names, "prior"]


def test_a_redefined_column_has_its_own_words():
    (errors,) = datapackage({"errors": "e.csv"}, "", of_own_data=False)["resources"]
    field = next(f for f in errors["schema"]["fields"] if f["name"] == "standard_error")
    assert field["description"].startswith("that of the difference")
    assert TABLES["errors"].column("standard_error").kind is Kind.NUMBER
    assert tables.columns_markdown().count(field["description"]) == 1
