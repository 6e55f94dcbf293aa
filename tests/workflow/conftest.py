"""Studies that several tests of the workflow share."""

import pytest
from studies import Study


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Study:
    """The small study, run whole on one core. Tests may ask for its plan, and leave its files as they are."""
    study = Study(tmp_path_factory.mktemp("finished"))
    study.run()
    return study


@pytest.fixture
def study(tmp_path) -> Study:
    """A study of which nothing has been run."""
    return Study(tmp_path / "study")
