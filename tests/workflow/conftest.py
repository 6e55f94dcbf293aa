"""Studies that several tests of the workflow share, and the committed tables."""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest
from browser import Browser
from studies import ROOT, SMOKE, Study, tool


@pytest.fixture(scope="session")
def committed(tmp_path_factory) -> Path:
    """A copy of ``results/published`` as git's index has it: the committed tables, or those staged
    for the next commit.
    """
    if not (ROOT / ".git").exists():
        pytest.skip("outside a repository nobody knows which tables were committed")
    folder = tmp_path_factory.mktemp("committed")
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listed = subprocess.run([*git, "ls-files", "-z", "results"], check=True, capture_output=True)
    checkout = [*git, "checkout-index", "-z", "--stdin", f"--prefix={folder}/"]
    subprocess.run(checkout, input=listed.stdout, check=True)
    return folder / "results/published"


def computed_once(factory: pytest.TempPathFactory, name: str, compute) -> Study:
    """A copy of a study that ``compute`` runs for all workers of pytest-xdist: the first that asks
    for it computes it, the others wait.
    """
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    original, done = shared / f"the {name} study", shared / f"{name}.done"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            compute(Study(original))
            done.touch()
    return Study(factory.mktemp(name) / "copy", original)


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Study:
    """The small study in a repository, run whole on one core. Tests may ask for its plan and run
    it into other folders, and leave its files as they are.
    """

    def compute(study: Study) -> None:
        study.put_in_repository()
        study.run()

    return computed_once(tmp_path_factory, "finished", compute)


@pytest.fixture(scope="session")
def smoke(tmp_path_factory) -> Study:
    """The smoke study, run as a user runs it. Tests may add files, and leave those that are there
    as they are.
    """
    return computed_once(
        tmp_path_factory, "smoke", lambda study: study.call([tool("snakemake"), *SMOKE])
    )


@pytest.fixture
def study(tmp_path) -> Study:
    """A study of which nothing has been run."""
    return Study(tmp_path / "study")


@pytest.fixture(scope="module")
def browser():
    with Browser() as started:
        yield started
