"""A release has one version in all files, and its wheel works where nothing else of it is."""

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from studies import ROOT, loaded, printed

import latentdag

CASES = [[0, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]]
SCORE = f"""
import latentdag, sys
assert latentdag.__file__.startswith(sys.argv[1]), latentdag.__file__
s = latentdag.Structure.from_label("1-1-0", latentdag.Family((2,), (2, 2, 2)))
print(latentdag.score({CASES}, s, method="exact").score)
"""


def test_the_citation_file_has_what_the_package_has():
    citation, project = loaded("CITATION.cff"), pyproject()
    for key in ("version", "license"):
        assert citation[key] == project[key]
    assert [{"name": author["name"]} for author in citation["authors"]] == project["authors"]


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Of a copy of the sources, by setuptools that pip fetches."""
    folder = tmp_path_factory.mktemp("sources")
    ignore = shutil.ignore_patterns("*.pyc", "*.egg-info")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "."]
    command += ["--wheel-dir", "dist", "--disable-pip-version-check"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if "No matching distribution found for setuptools" in done.stderr:
        pytest.skip("pip can fetch no setuptools")
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "dist").glob("*.whl")
    return path


@pytest.mark.weekly
def test_the_wheel_has_the_package_and_no_more(wheel):
    assert wheel.name == f"latentdag-{pyproject()['version']}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as packed:
        names = [name for name in packed.namelist() if ".dist-info/" not in name]
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for pattern in ("*.py", "*.pyi", "*.j2", "py.typed", "*.yaml")
        for path in (ROOT / "src").rglob(pattern)
        if ".egg-info" not in str(path)
    }
    assert set(names) == sources


@pytest.mark.weekly
def test_the_wheel_works_where_nothing_else_of_the_project_is(wheel, tmp_path):
    place = tmp_path / "place"
    printed(
        *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
        *("--disable-pip-version-check", "--target", str(place), str(wheel)),
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    at = {"cwd": tmp_path, "env": environment | {"PYTHONPATH": str(place)}}
    version = printed(str(place / "bin/latentdag"), "--version", **at)
    assert version == f"latentdag {pyproject()['version']}\n"
    score = printed(sys.executable, "-c", SCORE, str(place), **at)
    s = latentdag.Structure.from_label("1-1-0", latentdag.Family((2,), (2, 2, 2)))
    assert float(score) == pytest.approx(latentdag.score(CASES, s, method="exact").score, abs=1e-9)
