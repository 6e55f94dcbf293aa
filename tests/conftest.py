"""Paths and data that several test files share, and how workers share the tests."""

import os
import sys
from pathlib import Path

for name in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
):  # before NumPy is imported
    os.environ.setdefault(name, "1")
sys.path.insert(0, str(Path(__file__).parent))  # for `import oracles`

import numpy as np  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture(scope="session")
def cases():
    """The 2560 reference cases of the paper's family, from the true structure."""
    return np.loadtxt(
        Path(__file__).parent / "data" / "cases.csv", delimiter=",", skiprows=1, dtype=int
    )


SHARED = ("finished", "smoke")  # fixtures: studies of which one run serves tests of many files
LONGEST_FIRST = ("workflow", "statistical", "unit")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items):
    """Tests that share a computed study, and otherwise those of one file, run in one worker of
    pytest-xdist. Workers begin with the folder whose tests take longest, and end together.
    """
    for item in items:
        shared = [name for name in SHARED if name in item.fixturenames]
        if shared:
            item.add_marker(pytest.mark.slow)
        item.add_marker(pytest.mark.xdist_group((shared or [item.path.stem])[0]))
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    here = Path(__file__).parent
    items.sort(key=lambda item: LONGEST_FIRST.index(item.path.relative_to(here).parts[0]))
