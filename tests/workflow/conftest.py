"""Studies that several tests of the workflow share, and the committed tables."""

import subprocess
from pathlib import Path

import pytest
from studies import ROOT, SMOKE, Study, tool


@pytest.fixture(scope="session")
def committed(tmp_path_factory) -> Path:
    """A copy of ``results/`` as git's index has it: the committed tables, or those staged for the
    next commit. The working tree may hold the tables of a user's own run.
    """
    if not (ROOT / ".git").exists():
        pytest.skip("outside a repository nobody knows which tables were committed")
    folder = tmp_path_factory.mktemp("committed")
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listed = subprocess.run([*git, "ls-files", "-z", "results"], check=True, capture_output=True)
    checkout = [*git, "checkout-index", "-z", "--stdin", f"--prefix={folder}/"]
    subprocess.run(checkout, input=listed.stdout, check=True)
    return folder / "results"


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Study:
    """The small study in a repository, run whole on one core. Tests may ask for its plan and run it
    into other folders, and leave its files as they are.
    """
    study = Study(tmp_path_factory.mktemp("finished")).in_repository()
    study.run()
    return study


@pytest.fixture(scope="session")
def smoke(tmp_path_factory) -> Study:
    """The smoke study, run as a user runs it. Tests may add files, and leave those that are there
    as they are.
    """
    study = Study(tmp_path_factory.mktemp("smoke"))
    study.said = study.call([tool("snakemake"), *SMOKE, "--logger", "study"]).stderr
    return study


@pytest.fixture
def study(tmp_path) -> Study:
    """A study of which nothing has been run."""
    return Study(tmp_path / "study")
