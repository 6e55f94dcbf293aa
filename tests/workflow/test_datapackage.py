"""The data package of a study: others can load its tables without reading us."""

import csv
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from frictionless import Package, system

from latentdag.study.schema.datapackage import datapackage


@pytest.fixture(autouse=True)
def _limit_of_a_cell():
    """frictionless raises the limit of the csv module for the whole process."""
    before = csv.field_size_limit()
    yield
    csv.field_size_limit(before)


def problems(folder: Path) -> set[tuple[str, str]]:
    """What frictionless finds wrong with the package in a folder: files, and kinds of errors."""
    with system.use_context(trusted=True):
        report = Package(str(folder / "datapackage.json")).validate()
    errors = {("", error.type) for error in report.errors}
    return errors | {(task.place, error.type) for task in report.tasks for error in task.errors}


def assert_lists_all(folder: Path) -> None:
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    listed = {resource["path"] for resource in package["resources"]}
    assert listed == {p.name for p in folder.iterdir() if p.suffix in (".csv", ".parquet")}, folder


def test_the_package_of_a_study_is_valid(finished):
    assert problems(finished.folder / "results") == set()
    assert_lists_all(finished.folder / "results")


def test_a_wrong_table_is_found(committed, tmp_path):
    """A word in a column of numbers, nothing in one that is required, and a column more."""
    paths = {name: f"{name}.csv" for name in ("ranks", "structures", "design")}
    for path in paths.values():
        shutil.copy(committed / "study" / path, tmp_path)
    package = datapackage(paths, "wrong", of_own_data=False)
    (tmp_path / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
    assert problems(tmp_path) == set()
    ranks = pd.read_csv(tmp_path / "ranks.csv", dtype=str)
    ranks.loc[0, "score_true"], ranks.loc[1, "n"] = "many", ""
    ranks.to_csv(tmp_path / "ranks.csv", index=False)
    structures = pd.read_csv(tmp_path / "structures.csv", dtype=str)
    structures.assign(more="1").to_csv(tmp_path / "structures.csv", index=False)
    assert problems(tmp_path) == {
        ("ranks.csv", "type-error"),
        ("ranks.csv", "constraint-error"),
        ("structures.csv", "extra-label"),
    }


def test_a_package_with_a_table_in_parquet_is_not_tabular():
    """That profile has tables in CSV alone."""
    for kind, profile in (("csv", "tabular-data-package"), ("parquet", "data-package")):
        paths = {"ranks": "ranks.csv", "verdicts": f"verdicts.{kind}"}
        assert datapackage(paths, "title", of_own_data=False)["profile"] == profile


@pytest.mark.weekly
def test_the_committed_packages_are_valid(committed):
    """That of the study, and those of populations, own data and examples, with all their tables. Of
    topics and of truths outside there is none, and of `make paper` not all tables are committed.
    """
    packages = sorted(committed.glob("**/datapackage.json"))
    others = {"topics", "paper", "paper-nearest", "outside"}
    studies = [p for p in committed.glob("**/summary.md") if others.isdisjoint(p.parts)]
    assert len(packages) == len(studies) > 10
    for path in packages:
        assert_lists_all(path.parent)
        assert problems(path.parent) == set(), path
