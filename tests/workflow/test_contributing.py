"""CONTRIBUTING.md is true: its example works as it stands, and what it names is there."""

import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from studies import ROOT

pytestmark = pytest.mark.slow

TEXT = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = dict(re.findall(r"```python\n# (\S+)\n(.+?)```", TEXT, re.DOTALL))
SCORE, TEST = EXAMPLE


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """The project with the two files of the example and the line in `ORDER`, as the page says."""
    folder = tmp_path_factory.mktemp("contributed")
    ignore = shutil.ignore_patterns("*.pyc", "*.egg-info")
    for name in ("src", "tests", "workflow"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, text in EXAMPLE.items():
        assert not (folder / name).exists()
        (folder / name).write_text(text, encoding="utf-8")
    trust = folder / "src/latentdag/search/trust.py"
    order = trust.read_text(encoding="utf-8")
    assert order.count('"bic", "vb_eb"') == 1
    trust.write_text(order.replace('"bic", "vb_eb"', '"bic", "draper", "vb_eb"'), encoding="utf-8")
    return folder


def run(project: Path, *command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(project / "src")}
    result = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_examples_test_fails_for_a_wrong_score(project, tmp_path):
    wrong = shutil.copytree(project, tmp_path / "wrong")
    text = EXAMPLE[SCORE]
    assert text.count("d / 2 * log") == 1
    (wrong / SCORE).write_text(text.replace("d / 2 * log", "d * log"))
    with pytest.raises(AssertionError, match="1 failed"):
        run(wrong, "pytest", "-q", "-p", "no:cacheprovider", TEST)


def test_the_examples_test_passes(project):
    assert "1 passed" in run(project, "pytest", "-q", "-p", "no:cacheprovider", TEST)


@pytest.mark.weekly
def test_the_example_keeps_the_contract(project):
    contract = ("-k", "draper", "tests/unit/scores/test_contract.py")
    printed = run(project, "pytest", "-q", "-p", "no:cacheprovider", *contract)
    assert int(re.search(r"(\d+) passed", printed)[1]) >= 10


def test_the_command_has_the_example(project):
    data = ("workflow/data/stouffer_toby_1951.csv", "--count", "count")
    given = ("--structure", "1-1-1-1", "--method", "draper", "--format", "csv")
    (row,) = csv.DictReader(run(project, "latentdag.command", "score", *data, *given).splitlines())
    assert row["method"] == "draper"
