"""Studies that several tests of the workflow share."""

import pytest
from studies import SMOKE, Study, tool


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
    study.said = study.call([tool("snakemake"), *SMOKE]).stderr
    return study


@pytest.fixture
def study(tmp_path) -> Study:
    """A study of which nothing has been run."""
    return Study(tmp_path / "study")
